import { isDeepStrictEqual } from 'node:util';

type Node = Record<string, unknown>;

/**
 * Moves every schema with a title to one shared place. Tools then generate one type for it, and the document is a
 * fraction as long. The same title on two different schemas is a mistake in the routes.
 *
 * @example nameSchemas(paths).schemas // { IntentSurfaceA: { title: 'Intent (surface A)', … } }
 */
export function nameSchemas<T extends object>(given: T): { document: T; schemas: Record<string, unknown> } {
  const schemas: Record<string, unknown> = {};

  function name(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(name);
    if (typeof node !== 'object' || node === null) return node;
    const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, name(value)]));
    return isTitled(copy) ? refer(copy) : copy;
  }

  function refer(schema: Node & { title: string }): Node {
    const key = toName(schema.title);
    schemas[key] ??= schema;
    if (!isDeepStrictEqual(schemas[key], schema)) {
      throw new Error(`two different schemas have the title ${schema.title}`);
    }
    return { $ref: `#/components/schemas/${key}` };
  }

  return { document: name(given) as T, schemas };
}

/** A schema, not an object that happens to have a member of that name. */
function isTitled(node: Node): node is Node & { title: string } {
  return typeof node.title === 'string' && node.type === 'object';
}

function toName(title: string): string {
  return title
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
