/** What changes in the labels of an agent. Pure. */

/** A label that comes has no `before`, one that goes no `after`. */
export interface LabelChange {
  name: string;
  before?: string;
  after?: string;
}

/** By name; labels that stay as they are left out. */
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
