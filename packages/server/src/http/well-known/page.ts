/** The shell of the public pages: no script, no requests, and a light and a dark theme. */
import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2127; --soft: #58626d; --paper: #ffffff; --panel: #f4f6f8; --line: #d5dbe1; --accent: #0b5cad;
  --get: #1a6b3c; --post: #0b5cad; --put: #8a5a00; --patch: #8a5a00; --delete: #a62626; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaee; --soft: #a3aeb9; --paper: #14181c; --panel: #1e242a; --line: #37414b; --accent: #7db8f5;
  --get: #7fd1a0; --post: #7db8f5; --put: #e8bd6a; --patch: #e8bd6a; --delete: #f29a9a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; }
p { margin: .5rem 0; max-width: 46rem; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.soft { color: var(--soft); }
code, pre { font-family: ui-monospace, "Cascadia Code", Menlo, Consolas, monospace; font-size: .875em; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; white-space: pre-wrap; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
summary { cursor: pointer; padding: .6rem .75rem; display: flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: baseline; }
summary::before { content: "\\25B8"; color: var(--soft); }
details[open] > summary::before { content: "\\25BE"; }
details[open] > summary { border-bottom: 1px solid var(--line); background: var(--panel); }
details > div { padding: .25rem .75rem 1rem; }
.method { font-weight: 700; min-width: 4rem; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .patch { color: var(--patch); } .delete { color: var(--delete); }
dl { margin: .25rem 0; }
dt { margin-top: .6rem; }
dd { margin: 0 0 0 1rem; }
.tag { font-size: .8rem; border: 1px solid var(--line); border-radius: 4px; padding: 0 .35rem; color: var(--soft); }
`;

/** Nothing except this style may be loaded. Nothing may frame the page or be sent from it. */
export const PAGE_POLICY = {
  'default-src': ["'none'"],
  'style-src': [`'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

export function renderPage(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text;
}
