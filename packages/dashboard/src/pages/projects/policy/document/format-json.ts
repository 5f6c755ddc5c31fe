import type { JsonValue } from '@permitry/protocol';

const WIDTH = 88;

/**
 * Formats JSON as people write policies. A value that fits goes on one line, except the document and its list of rules,
 * which always span several.
 */
export function formatJson(value: JsonValue): string {
  return format(value, '', true);
}

function format(value: JsonValue, indent: string, isSpread: boolean): string {
  const line = onOneLine(value);
  if (typeof value !== 'object' || value === null) return line;
  if (line.length === 2 || (!isSpread && indent.length + line.length <= WIDTH)) return line;
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => `${inner}${format(item, inner, false)}`)
    : Object.entries(value).map(
        ([name, property]) => `${inner}${JSON.stringify(name)}: ${format(property, inner, name === 'rules')}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${items.join(',\n')}\n${indent}${close}`;
}

function onOneLine(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(onOneLine).join(', ')}]`;
  const properties = Object.entries(value).map(
    ([name, property]) => `${JSON.stringify(name)}: ${onOneLine(property)}`,
  );
  return properties.length === 0 ? '{}' : `{ ${properties.join(', ')} }`;
}
