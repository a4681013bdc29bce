/** The balancer in front of nodes of a few lines. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../support/until.ts';
import { openBalancer } from './balancer.ts';

type Node = { readonly name: string; readonly url: string; health: number; isViolated: boolean; served: number };

async function aNode(name: string): Promise<Node> {
  const server = createServer((asked, response) => {
    if (asked.url === '/health/ready') return void response.writeHead(node.health).end();
    if (node.isViolated) return void response.writeHead(200).write('half of an an', () => asked.socket.destroy());
    node.served++;
    response.end(name);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const node: Node = { name, url, health: 200, isViolated: false, served: 0 };
  return node;
}

async function inFrontOf(...nodes: readonly Node[]) {
  const balancer = await openBalancer(nodes);
  onTestFinished(() => balancer.close());
  await balancer.asksAll();
  const asked = async () => {
    const answer = await fetch(balancer.url);
    return `${answer.status} ${await answer.text()}`;
  };
  return { ...balancer, asked };
}

test('the balancer sends requests to the healthy nodes in turn', async () => {
  const [one, two, three] = [await aNode('one'), await aNode('two'), await aNode('three')];
  three.health = 503;
  const { asked } = await inFrontOf(one, two, three);
  const answers = [await asked(), await asked(), await asked(), await asked()];
  expect(answers.toSorted()).toEqual(['200 one', '200 one', '200 two', '200 two']);
});

test('the balancer answers a bare 503 while no node is healthy, and sends requests to a node that is healthy again', async () => {
  const [one, two] = [await aNode('one'), await aNode('two')];
  const { asked, asksAll, sendsTo } = await inFrontOf(one, two);
  one.health = two.health = 503;
  await asksAll();
  expect(await asked()).toBe('503 ');
  two.health = 200;
  await sendsTo(two);
  expect(await asked()).toBe('200 two');
});

test('the balancer sends a request to another node when one breaks off', async () => {
  const [one, two] = [await aNode('one'), await aNode('two')];
  const { asked } = await inFrontOf(one, two);
  one.isViolated = true;
  await until(async () => (await asked()) === '200 two' && two.served >= 4);
  expect(one.served).toBe(0);
});
