import { canonicalJson, type JsonObject, type JsonValue } from '@permitry/protocol';
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { linearRegExps, MatchingWork } from './linear-reg-exp.ts';
import { costOf, type Extent } from './schema-cost.ts';
import { asksWhatWasChecked, effortFor, MOST_EFFORT } from './schema-effort.ts';

const MOST_SCHEMA_LENGTH = 128 * 1024;
/** What many servers still write; JSON Schema 2020-12 where a schema says nothing. */
const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;
const DRAFT_2020 = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

export interface CompiledSchema {
  /** At most so many evaluations of schemas, for a value of this extent; infinite for one that cannot be said of. */
  stepsFor(extent: Extent): number;
  /** @throws TooMuchToMatch */
  findFirst(value: JsonValue): readonly ErrorObject[];
  /** @throws TooMuchToMatch */
  findAll(value: JsonValue): readonly ErrorObject[];
}

/** @throws Error for what is no schema, refers to others, or to itself in the same place. */
export function compileSchema(schema: JsonObject): CompiledSchema {
  if (JSON.stringify(schema).length > MOST_SCHEMA_LENGTH) throw new Error('the schema is too large');
  if (effortFor(schema) > MOST_EFFORT) throw new Error('the schema is too large to be compiled');
  const stepsFor = costOf(schema);
  const { $schema, ...said } = schema;
  const { meta, make } = draftOf($schema);
  if (!meta().validateSchema(said)) throw new Error('the schema is none of its draft');
  // An Ajv for each: an `$id` in one schema must not be found by another.
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
 * What schemas of a draft are held against themselves: compiled once for all of them, for that takes a hundred times as
 * long as compiling a usual schema.
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

/** Looked up here and not by Ajv, which would find parts of a draft as well, and keep each spelling it was asked for. */
function draftOf($schema: JsonValue | undefined) {
  if ($schema === undefined) return CURRENT;
  if (typeof $schema === 'string' && DRAFT_2020.test($schema)) return CURRENT;
  if (typeof $schema === 'string' && DRAFT_7.test($schema)) return OLD;
  throw new Error('the schema is of a draft that is not known');
}

function createAjv(
  make: (options: Options) => Ajv | Ajv2020,
  work: MatchingWork,
  { allErrors, unevaluated }: { allErrors: boolean; unevaluated: boolean },
): Ajv | Ajv2020 {
  const ajv = make({
    allErrors,
    // It was held against its draft before.
    meta: false,
    validateSchema: false,
    // Words that are not known say nothing, as the specification has it.
    strict: false,
    validateFormats: false,
    logger: false,
    // Written out at each place that refers to it, a schema of kilobytes would become a program of gigabytes.
    inlineRefs: false,
    // Going over what was written once more takes many times as long as writing it.
    code: { regExp: linearRegExps(work), optimize: false },
  });
  // Of 2020-12 it would remember them for every schema, and write them all down again for each choice of an `anyOf`.
  ajv.opts.unevaluated &&= unevaluated;
  return withLinearUniqueItems(ajv);
}

/** Its own compares every item with every other one. */
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
