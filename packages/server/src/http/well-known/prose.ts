import { type Html, html } from './html.ts';

/** The part of Markdown that descriptions use: paragraphs, `* ` lists, `code` and **bold**. */
export function renderProse(text: string): Html {
  const blocks = text.split(/\n{2,}/).filter((block) => block.trim() !== '');
  return html`${blocks.map((block) => (block.startsWith('* ') ? renderList(block) : html`<p>${renderInline(block)}</p>`))}`;
}

function renderList(block: string): Html {
  const items = block.slice(2).split(/\n\* /);
  return html`<ul>${items.map((item) => html`<li>${renderInline(item)}</li>`)}</ul>`;
}

function renderInline(text: string): Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece) => {
    if (piece.length > 2 && piece.startsWith('`')) return html`<code>${piece.slice(1, -1)}</code>`;
    if (piece.length > 4 && piece.startsWith('**')) return html`<strong>${piece.slice(2, -2)}</strong>`;
    return html`${piece}`;
  });
}
