/** Compares the labels of an agent before and after a change. Pure. */

/** A new label has no `before`, a removed one no `after`. */
export interface LabelChange {
  name: string;
  before?: string;
  after?: string;
}

/** Sorted by name, without unchanged labels. */
export function compareLabels(before: unknown, after: unknown): LabelChange[] {
  const [old, next] = [readLabels(before), readLabels(after)];
  const names = [...new Set([...old.keys(), ...next.keys()])].sort();
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), next.get(name)];
    if (was === is) return [];
    return [{ name, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) }];
  });
}

/** Values as JSON, so that the text "1" and the number 1 differ. */
function readLabels(labels: unknown): Map<string, string> {
  if (labels === null || typeof labels !== 'object') return new Map();
  return new Map(Object.entries(labels).map(([name, value]) => [name, JSON.stringify(value)]));
}
