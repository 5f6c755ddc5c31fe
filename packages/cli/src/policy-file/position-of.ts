import { pointerSteps } from '@permitry/protocol';
import { type Document, isMap, isNode, isScalar, isSeq, type Node, type Scalar } from 'yaml';

export interface TextPosition {
  line: number;
  column: number;
}

/** A parsed file with its text. */
export interface Source {
  text: string;
  document: Document;
  positionAt(offset: number): TextPosition;
}

/**
 * Position of a problem in the file. An unknown member has the position of its name, and a missing member that of the
 * object without it. A position inside an expression ("line 1, column 8: …") is converted to one in the file, and
 * removed from the message.
 */
export function positionOf(
  source: Source,
  pointer: string,
  message: string,
): TextPosition & { message: string } {
  const { node, start } = findNode(source.document, pointer);
  const [, line, column, rest] = /^line (\d+), column (\d+): (.*)$/s.exec(message) ?? [];
  if (isScalar(node) && rest !== undefined) {
    const offset = offsetInScalar(source.text, node, Number(line), Number(column));
    if (offset !== undefined) return { ...source.positionAt(offset), message: rest };
  }
  return { ...source.positionAt(start), message };
}

function findNode(document: Document, pointer: string): { node: Node | null; start: number } {
  let node: Node | null = document.contents;
  let start = startOf(node);
  for (const step of pointerSteps(pointer)) {
    const found = childOf(node, step, document);
    if (!found) break;
    node = found.node;
    start = found.start;
  }
  return { node, start };
}

function childOf(
  parent: Node | null,
  step: string,
  document: Document,
): { node: Node | null; start: number } | undefined {
  const resolved =
    parent !== null && 'source' in parent && 'resolve' in parent ? parent.resolve(document) : parent;
  if (isMap(resolved)) {
    const pair = resolved.items.find(({ key }) => isScalar(key) && String(key.value) === step);
    if (!pair) return undefined;
    const key = isNode(pair.key) ? pair.key : null;
    const value = isNode(pair.value) ? pair.value : null;
    return {
      node: value,
      start: isMap(value) || isSeq(value) || value === null ? startOf(key) : startOf(value),
    };
  }
  if (isSeq(resolved)) {
    const item = resolved.items[Number(step)];
    return isNode(item) ? { node: item, start: startOf(item) } : undefined;
  }
  return undefined;
}

function startOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

/** Undefined if escapes or folded lines make the text in the file differ from the value's text. */
function offsetInScalar(text: string, node: Scalar, line: number, column: number): number | undefined {
  if (typeof node.value !== 'string' || !node.range) return undefined;
  const [start, end] = node.range;
  const wanted = node.value.split('\n')[line - 1] ?? '';
  // A block scalar begins below its header. A quoted or plain scalar begins on the same line.
  const skipped = node.type === 'BLOCK_LITERAL' ? line : line - 1;
  let from = start;
  for (let count = 0; count < skipped; count++) {
    from = text.indexOf('\n', from) + 1;
    if (from === 0) return undefined;
  }
  const lineEnd = text.indexOf('\n', from);
  const raw = text.slice(from, Math.min(lineEnd === -1 ? end : lineEnd, end));
  const at = raw.indexOf(wanted);
  return at === -1 ? undefined : from + at + column - 1;
}
