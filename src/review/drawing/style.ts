/** The style of the pictures. They have their own background, so that they are readable on any page. */
import { FACES } from './blocks.ts';

const LIGHT = {
  paper: '#fdfdfb',
  frame: '#dcdad3',
  box: '#ffffff',
  edge: '#8a8780',
  ink: '#1c1b19',
  soft: '#6a675f',
  event: '#3b4f9c',
  number: '#8a5a00',
  rule: '#e6e4dd',
  issues: '#2e8a5c',
  issuesInk: '#176640',
  issuesFill: '#eef8f1',
  ends: '#c0484c',
  endsInk: '#a3262a',
  endsFill: '#fdf1f0',
  moves: '#5c6b8a',
  movesFill: '#f2f4f9',
};
const DARK: typeof LIGHT = {
  paper: '#16171a',
  frame: '#33353b',
  box: '#1f2125',
  edge: '#7d8089',
  ink: '#ececea',
  soft: '#a4a6ad',
  event: '#a9b8ff',
  number: '#f0bd5b',
  rule: '#33363d',
  issues: '#4fb483',
  issuesInk: '#7fd9a7',
  issuesFill: '#17271f',
  ends: '#e0716f',
  endsInk: '#ff9a96',
  endsFill: '#2d1b1c',
  moves: '#8c9bc0',
  movesFill: '#1c2130',
};

const declarations = (colours: typeof LIGHT) =>
  Object.entries(colours)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');

const faces = Object.entries(FACES).map(
  ([kind, { size, bold }]) => `.${kind}{font-size:${size}px;font-weight:${bold ? 700 : 400}}`,
);

export const STYLE = [
  `svg{${declarations(LIGHT)}}`,
  `@media (prefers-color-scheme:dark){svg{${declarations(DARK)}}}`,
  "text{font-family:'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif;fill:var(--ink)}",
  ...faces,
  '.paper{fill:var(--paper);stroke:var(--frame)}',
  '.state>rect{fill:var(--box);stroke:var(--edge);stroke-width:1.5}',
  '.state>.inner{fill:none;stroke:var(--edge);stroke-width:1}',
  '.dot{fill:var(--ink)}',
  '.rule{stroke:var(--rule);fill:none}',
  '.event{fill:var(--event)}.number{fill:var(--number)}text.issues{fill:var(--issuesInk)}text.ends{fill:var(--endsInk)}',
  '.spec,.place,.words,.nothing{fill:var(--soft)}',
  '.line{fill:none;stroke-width:1.8}',
  ...(['issues', 'ends', 'moves'] as const).flatMap((tone) => [
    `.card.${tone}>rect{fill:var(--${tone}Fill);stroke:var(--${tone})}`,
    `.arrow.${tone}>.line{stroke:var(--${tone})}`,
    `.arrow.${tone}>.tip{fill:var(--${tone})}`,
  ]),
].join('\n');
