import type { JsonValue } from '@permitry/protocol';

const WIDTH = 88;

/**
 * JSON as people write policies: what fits on a line stands on one.
 *
 * @example formatJson({ match: { action: 'deploy' } }) // '{ "match": { "action": "deploy" } }'
 */
export function formatJson(value: JsonValue, indent = ''): string {
  const line = onOneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= WIDTH) {
    // The document itself, and the list of its rules, are always spread out.
    if (indent !== '' || typeof value !== 'object' || value === null) return line;
  }
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => inner + formatJson(item, inner))
    : Object.entries(value).map(
        ([name, member]) => `${inner}${JSON.stringify(name)}: ${formatMember(name, member, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return items.length === 0 ? `${open}${close}` : `${open}\n${items.join(',\n')}\n${indent}${close}`;
}

function formatMember(name: string, value: JsonValue, indent: string): string {
  if (name !== 'rules' || !Array.isArray(value) || value.length === 0) {
    return formatJson(value, indent);
  }
  const inner = `${indent}  `;
  return `[\n${value.map((rule) => inner + formatJson(rule, inner)).join(',\n')}\n${indent}]`;
}

function onOneLine(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(onOneLine).join(', ')}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
