import type { JsonObject } from '@permitry/protocol';
import { locateJson } from '../document/locate-json.ts';
import * as words from './try-it.words.ts';

/** The form state of a sample request. */
export interface SampleForm {
  action: string;
  params: string;
  metadata: string;
  source: string;
  sourceType: string;
  riskTier: string;
  proofTier: string;
  agentId: string;
}

export const EMPTY_SAMPLE: SampleForm = {
  action: 'payments.refund',
  params: '{ "amount": 120 }',
  metadata: '{}',
  source: '',
  sourceType: '',
  riskTier: '',
  proofTier: '',
  agentId: '',
};

/** The request as the gate accepts it, or the field that is not a JSON object and why. */
export function toSample(
  form: SampleForm,
): { intent: JsonObject } | { field: 'params' | 'metadata'; problem: string } {
  const params = objectIn(form.params);
  if (typeof params === 'string') return { field: 'params', problem: params };
  const metadata = objectIn(form.metadata);
  if (typeof metadata === 'string') return { field: 'metadata', problem: metadata };
  const more = {
    source: form.source,
    source_type: form.sourceType,
    risk_tier: form.riskTier,
    proof_tier: form.proofTier,
    agent_id: form.agentId,
  };
  const given = Object.entries(more).filter(([, text]) => text.trim() !== '');
  return { intent: { action: form.action.trim(), params, metadata, ...Object.fromEntries(given) } };
}

function objectIn(text: string): JsonObject | string {
  const found = locateJson(text.trim() === '' ? '{}' : text);
  if (!found.ok) return `${found.message}.`;
  const { value } = found;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  return words.mustBeObject;
}

/** For a longer text, only the length is shown. */
const LONGEST = 60;

/**
 * The request's values that a condition refers to.
 *
 * @example valuesMentioned('params.amount > 5', { params: { amount: 3 }, … }) // [{ name: 'params.amount', value: '3' }]
 */
export function valuesMentioned(
  condition: string,
  request: Readonly<Record<string, unknown>>,
): { name: string; value: string }[] {
  const withoutTexts = condition.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, ' ');
  const names = withoutTexts.match(/\b[a-z_]\w*(?:\.[A-Za-z_]\w*)*(?!\w*\s*\()/g) ?? [];
  return [...new Set(names)].flatMap((name) => {
    const [variable = '', ...properties] = name.split('.');
    if (!Object.hasOwn(request, variable)) return [];
    return [{ name, value: shown(properties.reduce(propertyOf, request[variable])) }];
  });
}

function propertyOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function shown(value: unknown): string {
  if (value === undefined) return words.absent;
  const text = JSON.stringify(value);
  return text.length > LONGEST ? words.cut(text.slice(0, LONGEST), text.length) : text;
}
