/** Clients that rotate their chains as fast as they can over real connections, until the server is cut off. */
import type { TestClient } from '../support/actors.ts';

export type RotatingChain = {
  /** The newest refresh token that arrived in a complete answer. */
  acknowledged: string;
  /** How many answers arrived. */
  rotations: number;
};

export type Presented = {
  readonly status: number;
  readonly refreshToken: string | null;
  readonly error: string | null;
};

/** @returns null when the connection was cut before the whole answer was there. */
export async function present(url: string, client: TestClient, refreshToken: string): Promise<Presented | null> {
  try {
    const answer = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${client.clientId}:${client.secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    });
    const { refresh_token = null, error = null } = (await answer.json()) as { refresh_token?: string; error?: string };
    return { status: answer.status, refreshToken: refresh_token, error };
  } catch {
    return null;
  }
}

/** @returns how it ended: null by the cut, or the answer that issued nothing. */
export async function rotateUntilCut(url: string, client: TestClient, chain: RotatingChain): Promise<Presented | null> {
  for (;;) {
    const answer = await present(url, client, chain.acknowledged);
    if (answer?.refreshToken == null) return answer;
    chain.acknowledged = answer.refreshToken;
    chain.rotations++;
  }
}
