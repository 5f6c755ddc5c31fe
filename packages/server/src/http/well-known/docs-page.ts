/** The reference page: the OpenAPI document as one HTML page that needs no script and no network. */
import { type Html, html } from './html.ts';
import { renderPage } from './page.ts';
import { renderProse } from './prose.ts';
import { renderSchema, type Schema } from './schema-list.ts';

const JSON_TYPE = 'application/json';

interface Content {
  [type: string]: { schema?: Schema };
}

interface Response {
  $ref?: string;
  description?: string;
  content?: Content;
}

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema; description?: string }[];
  requestBody?: { content?: Content };
  responses: Record<string, Response>;
}

interface Document {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema>; responses?: Record<string, Response> };
}

interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

export function renderDocsPage(document: object): string {
  const { info, servers, paths, components } = document as Document;
  const { schemas = {}, responses = {} } = components ?? {};
  const groups = groupByTag(paths);
  return renderPage(
    `${info.title} reference`,
    html`<h1>${info.title} <span class="soft">${info.version}</span></h1>
<p class="soft">Base address <code>${servers?.[0]?.url}</code> · <a href="openapi.json">OpenAPI document</a></p>
${renderProse(info.description ?? '')}
<nav aria-label="Sections"><ul>${[...groups.keys()].map((tag) => html`<li><a href="#${anchor(tag)}">${tag}</a></li>`)}</ul></nav>
${[...groups].map(
  ([tag, entries]) => html`<section aria-labelledby="${anchor(tag)}"><h2 id="${anchor(tag)}">${tag}</h2>
${entries.map((entry) => renderEntry(entry, { schemas, responses }))}</section>`,
)}`,
  );
}

function groupByTag(paths: Document['paths']): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? 'Other';
      groups.set(tag, [...(groups.get(tag) ?? []), { method, path, operation }]);
    }
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function anchor(tag: string): string {
  return tag.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

type Schemas = Record<string, Schema>;

/** Components that the document describes once. */
interface Components {
  schemas: Schemas;
  responses: Record<string, Response>;
}

function renderEntry({ method, path, operation }: Entry, { schemas, responses: named }: Components): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const body = mainContent(requestBody?.content);
  return html`<details id="${operationId ?? anchor(`${method} ${path}`)}">
<summary><code class="method ${method}">${method.toUpperCase()}</code> <code>${path}</code> <span class="soft">${summary}</span></summary>
<div>${renderProse(description ?? '')}
${parameters.length > 0 && html`<h3>Parameters</h3><dl>${parameters.map((parameter) => renderParameter(parameter, schemas))}</dl>`}
${body && html`<h3>Body${typeTag(body)}</h3>${renderSchema(body.schema, schemas)}`}
<h3>Answers</h3>
${Object.entries(responses).map(([status, response]) =>
  renderResponse(status, named[response.$ref?.split('/').at(-1) ?? ''] ?? response, schemas),
)}
</div></details>
`;
}

function renderParameter(
  { name, in: location, required, schema = {}, description }: NonNullable<Operation['parameters']>[number],
  schemas: Schemas,
): Html {
  const described = description === undefined ? schema : { ...schema, description };
  return html`<dt><code>${name}</code> <span class="tag">${location}</span> ${required === true && html`<span class="tag">required</span>`}</dt>
<dd>${renderSchema(described, schemas)}</dd>`;
}

function renderResponse(status: string, response: Response, schemas: Schemas): Html {
  const content = mainContent(response.content);
  const line = html`<strong>${status}</strong> ${response.description}`;
  if (!content || status >= '4') return html`<p>${line}</p>`;
  return html`<p>${line}${typeTag(content)}</p>${renderSchema(content.schema, schemas)}`;
}

interface MainContent {
  type: string;
  schema: Schema;
}

/** JSON if there is any; otherwise the form or token. */
function mainContent(content: Content = {}): MainContent | undefined {
  const [type] = JSON_TYPE in content ? [JSON_TYPE] : Object.keys(content);
  const schema = type === undefined ? undefined : content[type]?.schema;
  return type === undefined || schema === undefined ? undefined : { type, schema };
}

/** The content type, shown only if it is not JSON. */
function typeTag({ type }: MainContent): Html | false {
  return type !== JSON_TYPE && html` <span class="tag">${type}</span>`;
}
