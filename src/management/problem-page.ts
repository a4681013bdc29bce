/** A page about each problem, under its `type` (RFC 9457 §3.1.1). */
import { html } from 'ghtml';
import { sha256 } from '../crypto/digest.ts';
import { PROBLEMS, type ProblemReason } from './problem.ts';
import { PROBLEM_WORDS } from './problem-words.ts';
import type { PublicText } from './public-document.ts';

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
`;

export const isProblemReason = (text: string): text is ProblemReason => Object.hasOwn(PROBLEMS, text);

/** @param reference the address of the reference page. */
export function problemPage(reason: ProblemReason, reference: string): PublicText {
  const { status, title } = PROBLEMS[reason];
  const { means, remedy } = PROBLEM_WORDS[reason];
  return {
    type: 'text/html; charset=utf-8',
    text: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>!${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>Status ${String(status)}, <code>${reason}</code></p>
<h2>What it means</h2>
<p>${means}</p>
<h2>What to do</h2>
<p>${remedy}</p>
<p><a href="${reference}">The reference of the management API</a></p>
</main>
</body>
</html>
`,
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${sha256(STYLE).toString('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}
