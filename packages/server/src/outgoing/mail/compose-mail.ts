import { beware } from '../beware.ts';
import { escapeHtml, escapeUnlinked } from '../inert-text.ts';

/**
 * The content of a mail, before it becomes plain text and HTML. The caller makes texts of others inert with
 * `toInertLine`.
 */
export interface MailContent {
  subject: string;
  /** Paragraphs, facts for a table, and lists of links, in reading order. */
  body: readonly (string | readonly Fact[] | { links: readonly MailLink[] })[];
  /** The one link to follow. It opens a page, and following it never changes anything. */
  link?: MailLink;
  /** Why the reader gets this mail, and where to change that. */
  footer?: readonly string[];
}

export interface MailLink {
  label: string;
  url: string;
}

/** For instance `{ name: 'Action', value: 'payments.refund' }`. */
export interface Fact {
  name: string;
  value: string;
}

const STYLE = {
  body: 'margin:0;padding:24px;background:#f4f5f7;color:#16181d;font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif',
  box: 'max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #d9dce3;border-radius:8px',
  name: 'padding:2px 16px 2px 0;color:#5a6070;vertical-align:top;white-space:nowrap',
  value: 'padding:2px 0;overflow-wrap:anywhere',
  button:
    'display:inline-block;padding:10px 18px;background:#2448ad;color:#ffffff;border-radius:6px;text-decoration:none',
  item: 'padding:4px 0;overflow-wrap:anywhere',
  link: 'color:#2448ad',
  footer: 'max-width:560px;margin:16px auto 0;color:#5a6070;font-size:13px',
};

/**
 * The two forms of a mail: plain text, and HTML that loads nothing from elsewhere.
 *
 * @example await mailer.send({ to, ...composeMail({ subject: 'Reset your password', body: ['…'], link }) });
 */
export function composeMail(content: MailContent): { subject: string; text: string; html: string } {
  const { subject, body } = content;
  const facts = beware([subject, ...body.flatMap(textsOf)]);
  const whole = facts.length === 0 ? content : { ...content, body: [...body, facts] };
  return { subject, text: toPlainText(whole), html: toHtml(whole) };
}

function textsOf(part: MailContent['body'][number]): string[] {
  if (typeof part === 'string') return [part];
  return 'links' in part ? part.links.map(({ label }) => label) : part.map(({ value }) => value);
}

function toPlainText({ body, link, footer = [] }: MailContent): string {
  const blocks = body.map((part) => {
    if (typeof part === 'string') return part;
    return 'links' in part ? part.links.map(linkLines).join('\n') : part.map(factLine).join('\n');
  });
  if (link) blocks.push(`${link.label}:\n${link.url}`);
  if (footer.length > 0) blocks.push(`-- \n${footer.join('\n')}`);
  return `${blocks.join('\n\n')}\n`;
}

function factLine({ name, value }: Fact): string {
  return `${name}: ${value}`;
}

function linkLines({ label, url }: MailLink): string {
  return `* ${label}\n  ${url}`;
}

function toHtml({ subject, body, link, footer = [] }: MailContent): string {
  const blocks = body.map((part) => {
    if (typeof part === 'string') return `<p>${withLineBreaks(part)}</p>`;
    return 'links' in part ? linkList(part.links) : factTable(part);
  });
  if (link) {
    blocks.push(
      `<p><a href="${escapeHtml(link.url)}" style="${STYLE.button.replaceAll('"', '&quot;')}">${escapeHtml(link.label)}</a></p>`,
      `<p style="${STYLE.value};font-size:13px">${escapeHtml(link.url)}</p>`,
    );
  }
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<title>${escapeHtml(subject)}</title></head>`,
    `<body style="${STYLE.body.replaceAll('"', '&quot;')}"><div style="${STYLE.box}">`,
    ...blocks,
    '</div>',
    ...(footer.length > 0
      ? [`<div style="${STYLE.footer}">${footer.map(escapeHtml).join('<br>')}</div>`]
      : []),
    '</body></html>',
  ].join('\n');
}

function withLineBreaks(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}

function linkList(links: readonly MailLink[]): string {
  const items = links.map(
    ({ label, url }) =>
      `<li dir="auto" style="${STYLE.item}"><a href="${escapeHtml(url)}" style="${STYLE.link}">${escapeHtml(label)}</a></li>`,
  );
  return `<ul style="margin:16px 0;padding-left:20px">${items.join('')}</ul>`;
}

function factTable(facts: readonly Fact[]): string {
  const rows = facts.map(
    ({ name, value }) =>
      `<tr><td style="${STYLE.name}">${escapeHtml(name)}</td><td dir="auto" style="${STYLE.value}">${escapeUnlinked(value)}</td></tr>`,
  );
  return `<table role="presentation" style="border-collapse:collapse;margin:16px 0">${rows.join('')}</table>`;
}
