/** The problems of requests that reach no route of the API. */
import type { EarlyRefusal, RefusingApi } from '../http/early-refusal.ts';
import { pathUnder } from '../oauth/urls.ts';
import { API_PATH } from './addresses.ts';
import { type Problem, problem, sendProblem } from './problem.ts';

const PROBLEM_OF: Readonly<Record<EarlyRefusal, Problem>> = {
  undecodable: problem(
    'invalid_request',
    'The path cannot be decoded. Expected UTF-8, with "%" only before two hexadecimal digits. Nothing was changed.',
  ),
  overloaded: problem(
    'temporarily_unavailable',
    'This server has too many requests at the moment. Nothing was changed. Try again.',
  ),
};

export const earlyRefusals = (issuer: string): RefusingApi => ({
  path: pathUnder(issuer, API_PATH),
  refuse: (reply, reason) => sendProblem(reply, issuer, PROBLEM_OF[reason]),
});
