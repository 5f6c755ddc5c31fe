import type { UpstreamTool } from './queries.ts';
import * as words from './tools.words.ts';

type Definition = NonNullable<UpstreamTool['found']>['content'];

/**
 * A complete definition as lines that people can read and compare. Any difference between two definitions also appears
 * here. Members are sorted by name.
 */
export function toReadableDefinition({ title, description, ...rest }: Definition): string {
  return [
    words.definitionTitle(title === undefined ? undefined : JSON.stringify(title)),
    ...describe(description),
    JSON.stringify(inOrder(rest), null, 2),
  ].join('\n');
}

function describe(value: unknown): string[] {
  if (typeof value !== 'string') return [words.definitionDescription(undefined)];
  const lines = value.split('\n');
  return [words.definitionDescription(lines.length), ...lines.map((line) => `  ${line}`)];
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, property]) => [name, inOrder(property)]),
  );
}
