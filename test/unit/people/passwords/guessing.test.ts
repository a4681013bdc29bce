/** The estimate of zxcvbn for a new password, and the behaviour without an estimate. */
import { Registry } from 'prom-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { countPasswordChecks } from '../../../../src/metrics/passwords.ts';
import { type Scored, scoreOf, scorer, scoreThread } from '../../../../src/people/passwords/guessing.ts';
import { brokenRule, passwordProblem } from '../../../../src/people/passwords/rules.ts';
import { withDeadlines } from '../../../support/patience.ts';

const ALONE = { username: 'ada', hasSecondFactor: false, alsoNamed: ['countess@lovelace.example'] };
const BESIDE = { ...ALONE, hasSecondFactor: true };

const counted = () => {
  const registry = new Registry();
  onTestFinished(countPasswordChecks(registry));
  return () => registry.metrics();
};

describe('a guessable password', () => {
  test.each([
    'password123password',
    'qwertyuiop asdf',
    'aaaaaaaaaaaaaaabc',
    'iloveyouforever1',
    '1q2w3e4r5t6y7u8i',
    'zxcvbnm,./asdfg',
    'Summer2024Summer2024!',
    'passｗord123password',
  ])('is rejected, though it breaks no other rule: %j', async (password) => {
    expect(brokenRule(password, BESIDE)).toBeNull();
    expect(await passwordProblem(password, ALONE)).toEqual({ reason: 'guessable' });
  });

  test('gets no score for the names of the end-user and the service', async () => {
    const judged = (names: object) => passwordProblem('brunhildepassword', { ...ALONE, ...names });
    expect(await judged({})).toBeNull();
    const guessable = { reason: 'guessable' };
    expect(await judged({ username: 'brunhilde' })).toEqual(guessable);
    expect(await judged({ alsoNamed: ['brunhilde@harbour.example'] })).toEqual(guessable);
    expect(await judged({ service: ['Brunhilde & Sons'] })).toEqual(guessable);
  });

  test('may be eight random characters beside a second factor, and no less', async () => {
    expect(await passwordProblem('x7Gk2pQz', BESIDE)).toBeNull();
    expect(await passwordProblem('qwer1234qwer', BESIDE)).toEqual({ reason: 'guessable' });
    const policy = { passwordMinimumCharacters: 8, passwordMinimumCharactersWithSecondFactor: 8 };
    expect(await passwordProblem('x7Gk2pQz', { ...ALONE, policy })).toEqual({ reason: 'guessable' });
  });

  test.each(['correct horse battery', 'my password is good', 'all lower case letters', '900817263544510'])(
    'is not a passphrase: %j',
    async (password) => {
      expect(await passwordProblem(password, ALONE)).toBeNull();
    },
  );
});

describe('the score', () => {
  test('is of the first 64 characters, which end with a whole character', async () => {
    const asked: Scored[] = [];
    const score = scorer(async (one) => {
      asked.push(one);
      return 4;
    });
    await score({ password: '😀'.repeat(1000), names: ['n'.repeat(300)] });
    expect(asked).toEqual([{ password: '😀'.repeat(64), names: ['n'.repeat(64)] }]);
  });

  test('is of one password at a time; beyond sixteen waiting ones the check is skipped', async () => {
    const metrics = counted();
    const running = { now: 0, most: 0 };
    const go = Promise.withResolvers<void>();
    const score = scorer(async () => {
      running.most = Math.max(running.most, ++running.now);
      await go.promise;
      running.now--;
      return 4;
    });
    const scores = Array.from({ length: 20 }, () => score({ password: 'x', names: [] }));
    expect(await Promise.all(scores.slice(17))).toEqual([null, null, null]);
    go.resolve();
    expect(await Promise.all(scores.slice(0, 17))).toEqual(Array(17).fill(4));
    expect(running.most).toBe(1);
    expect(await metrics()).toContain('statehouse_password_checks_total{check="score",outcome="skipped"} 3');
  });

  test('is skipped after the deadline', async () => {
    const never = withDeadlines({ passwordScoreMilliseconds: 1 }, () =>
      scorer(() => new Promise(() => {}))({ password: 'x', names: [] }),
    );
    expect(await never).toBeNull();
  });

  test('is missing where the thread ends, and the next password gets a new one', async () => {
    const failing = scoreThread(new URL('data:text/javascript,process.exit(3)'));
    expect(await failing({ password: 'x', names: [] })).toBeNull();
    expect(await failing({ password: 'x', names: [] })).toBeNull();
    expect(await scoreOf({ password: 'password', names: [] })).toBe(0);
  });
});
