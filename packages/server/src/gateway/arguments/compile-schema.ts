import { canonicalJson, type JsonObject, type JsonValue } from '@permitry/protocol';
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { linearRegExps, MatchingWork } from './linear-reg-exp.ts';
import { costOf, type Extent } from './schema-cost.ts';

const MOST_SCHEMA_LENGTH = 128 * 1024;
/** What many servers still write; JSON Schema 2020-12 where a schema says nothing. */
const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;

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
  const stepsFor = costOf(schema);
  // An Ajv for each: an `$id` in one schema must not be found by another.
  const work = new MatchingWork();
  const first = createAjv(schema, work, { allErrors: false }).compile(schema);
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
      all ??= createAjv(schema, work, { allErrors: true }).compile(schema);
      all(value);
      return all.errors ?? first.errors ?? [];
    },
  };
}

function createAjv(
  schema: JsonObject,
  work: MatchingWork,
  { allErrors }: { allErrors: boolean },
): Ajv | Ajv2020 {
  const options: Options = {
    allErrors,
    // Words that are not known say nothing, as the specification has it.
    strict: false,
    validateFormats: false,
    logger: false,
    // Written out at each place that refers to it, a schema of kilobytes would become a program of gigabytes.
    inlineRefs: false,
    // Going over what was written once more takes many times as long as writing it.
    code: { regExp: linearRegExps(work), optimize: false },
  };
  const isOld = typeof schema.$schema === 'string' && DRAFT_7.test(schema.$schema);
  const ajv = isOld ? new Ajv(options) : new Ajv2020(options);
  // Its own compares every item with every other one.
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
