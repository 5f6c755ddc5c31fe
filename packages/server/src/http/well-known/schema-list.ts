import { type Html, html } from './html.ts';
import { renderProse } from './prose.ts';

/** The part of JSON Schema that the reference shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  examples?: unknown[];
}

type Schemas = Readonly<Record<string, Schema>>;

/**
 * A schema as a list of its members, each with its type, limits and description. Nested objects become nested lists.
 */
export function renderSchema(given: Schema, schemas: Schemas): Html {
  const schema = resolve(given, schemas);
  const members = schema.type === 'array' && schema.items ? resolve(schema.items, schemas) : schema;
  return html`<p><code>${typeName(schema, schemas)}</code>${limits(schema)}</p>
${renderProse(schema.description ?? '')}
${renderProperties(members, schemas)}`;
}

function renderProperties(
  { properties = {}, required = [], allOf = [], anyOf = [] }: Schema,
  schemas: Schemas,
): Html {
  const branches = [...allOf, ...anyOf]
    .map((branch) => resolve(branch, schemas))
    .filter((branch) => branch.properties);
  const names = Object.entries(properties);
  return html`${
    names.length > 0 &&
    html`<dl>${names.map(
      ([
        name,
        member,
      ]) => html`<dt><code>${name}</code> ${required.includes(name) && html`<span class="tag">required</span>`}</dt>
<dd>${renderSchema(member, schemas)}</dd>`,
    )}</dl>`
  }${branches.map((branch) => renderProperties(branch, schemas))}`;
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? {});
}

function typeName(given: Schema, schemas: Schemas): string {
  const schema = resolve(given, schemas);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map((branch) => typeName(branch, schemas)).join(' or ');
  if (schema.type === 'array') return schema.items ? `array of ${typeName(schema.items, schemas)}` : 'array';
  return [schema.type ?? 'any'].flat().join(' or ');
}

function limits(schema: Schema): Html {
  const said = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
  const example = schema.examples?.[0];
  return html`${said.length > 0 && html` <span class="soft">${said.join(', ')}</span>`}${
    schema.pattern !== undefined && html` <span class="soft">matches <code>${schema.pattern}</code></span>`
  }${example !== undefined && html` <span class="soft">e.g. <code>${JSON.stringify(example)}</code></span>`}`;
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? '' : `at most ${most}${unit}`;
}
