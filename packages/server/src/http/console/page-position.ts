import { sha256Hex } from '@permitry/protocol';
import type { Position } from '../../streams/sealed-tails.ts';

/**
 * The position as the ID of a message (`Last-Event-ID`): a mark for the set of projects, and one number for each
 * project. The ID reveals nothing. The gate does not need to trust it, because it only says where to continue reading.
 */
export function writePosition(position: Position): string {
  const projects = [...position.keys()].toSorted();
  return [markOf(projects), ...projects.map((id) => (position.get(id) ?? 0).toString(36))].join('.');
}

/** Undefined for text that is not a position in exactly these projects. */
export function readPosition(text: string, projectIds: readonly string[]): Map<string, number> | undefined {
  const projects = projectIds.toSorted();
  const [mark, ...numbers] = text.split('.');
  if (mark !== markOf(projects) || numbers.length !== projects.length) return undefined;
  if (!numbers.every((number) => /^[0-9a-z]{1,10}$/.test(number))) return undefined;
  return new Map(projects.map((id, index) => [id, Number.parseInt(numbers[index] ?? '0', 36)]));
}

function markOf(projects: readonly string[]): string {
  return sha256Hex(projects.join(' ')).slice(0, 8);
}
