import { canonicalJson, type JsonObject, type JsonValue } from '@permitry/protocol';
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { linearRegExps, MatchingWork } from './linear-reg-exp.ts';
import { costOf, type Extent } from './schema-cost.ts';
import { asksWhatWasChecked, effortFor, MOST_EFFORT } from './schema-effort.ts';

const MOST_SCHEMA_LENGTH = 128 * 1024;
/** Drafts that many servers still use. Default: JSON Schema 2020-12. */
const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;
const DRAFT_2020 = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

export interface CompiledSchema {
  /** The most schema evaluations that a value of this extent may cost. Infinite if the cost has no bound. */
  stepsFor(extent: Extent): number;
  /** @throws TooMuchToMatch */
  findFirst(value: JsonValue): readonly ErrorObject[];
  /** @throws TooMuchToMatch */
  findAll(value: JsonValue): readonly ErrorObject[];
}

/**
 * @throws Error for a value that is not a schema, or a schema that refers to other documents, or to itself for the same
 * value
 */
export function compileSchema(schema: JsonObject): CompiledSchema {
  if (JSON.stringify(schema).length > MOST_SCHEMA_LENGTH) throw new Error('the schema is too large');
  if (effortFor(schema) > MOST_EFFORT) throw new Error('the schema is too large to be compiled');
  const stepsFor = costOf(schema);
  const { $schema, ...said } = schema;
  const { meta, make } = draftOf($schema);
  if (!meta().validateSchema(said)) throw new Error('the schema is not valid in its draft');
  // One Ajv for each schema, so that no schema can find an `$id` of another.
  const work = new MatchingWork();
  const compile = (allErrors: boolean) =>
    createAjv(make, work, { allErrors, unevaluated: asksWhatWasChecked(schema) }).compile(schema);
  const first = compile(false);
  let all: typeof first | undefined;
  return {
    stepsFor,
    findFirst(value) {
      work.begin();
      return first(value) ? [] : (first.errors ?? []);
    },
    findAll(value) {
      work.begin();
      if (first(value)) return [];
      all ??= compile(true);
      all(value);
      return all.errors ?? first.errors ?? [];
    },
  };
}

/**
 * The meta-schema of a draft. It is compiled once for all schemas, because compiling it takes a hundred times as long
 * as compiling a usual schema.
 */
function createDraft(make: (options: Options) => Ajv | Ajv2020) {
  let known: Ajv | Ajv2020 | undefined;
  const meta = () => {
    known ??= withLinearUniqueItems(make({ strict: false, validateFormats: false, logger: false }));
    return known;
  };
  return { meta, make };
}

const CURRENT = createDraft((options) => new Ajv2020(options));
const OLD = createDraft((options) => new Ajv(options));

/** Looked up here, because Ajv would also accept parts of a draft, and would cache every spelling of a name. */
function draftOf($schema: JsonValue | undefined) {
  if ($schema === undefined) return CURRENT;
  if (typeof $schema === 'string' && DRAFT_2020.test($schema)) return CURRENT;
  if (typeof $schema === 'string' && DRAFT_7.test($schema)) return OLD;
  throw new Error('the schema is in an unknown draft');
}

function createAjv(
  make: (options: Options) => Ajv | Ajv2020,
  work: MatchingWork,
  { allErrors, unevaluated }: { allErrors: boolean; unevaluated: boolean },
): Ajv | Ajv2020 {
  const ajv = make({
    allErrors,
    // The schema was already checked against its draft.
    meta: false,
    validateSchema: false,
    // The specification says to ignore unknown keywords.
    strict: false,
    validateFormats: false,
    logger: false,
    // If Ajv copied a schema to each place that refers to it, kilobytes could become gigabytes of code.
    inlineRefs: false,
    // Optimising the generated code takes many times as long as generating it.
    code: { regExp: linearRegExps(work), optimize: false },
  });
  // Ajv records the checked members only for schemas that ask for them. Otherwise, with 2020-12, it would do so for
  // every schema, and again for each choice of an `anyOf`.
  ajv.opts.unevaluated &&= unevaluated;
  return withLinearUniqueItems(ajv);
}

/** Replaces Ajv's own `uniqueItems`, which compares every item with every other. */
function withLinearUniqueItems(ajv: Ajv | Ajv2020): Ajv | Ajv2020 {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not hold the same item twice' },
    validate: (isWanted: boolean, items: JsonValue[]) =>
      !isWanted || new Set(items.map((item) => canonicalJson(item))).size === items.length,
  });
  return ajv;
}
