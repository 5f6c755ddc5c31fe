/** Texts about a policy document: its rules as sentences, and mistakes in its JSON. */
import { formatCount } from '../../../../ui/format.ts';
import { phrase, type SentencePart, type SentenceParts } from './sentence-parts.ts';

export const and = 'and';
export const or = 'or';

export const anyone = 'anyone';
/** By self-reported type. */
export const requesters: Readonly<Record<string, string>> = {
  ai_agent: 'an AI agent',
  service: 'a service',
  ci: 'a CI job',
  script: 'a script',
  human: 'a person',
  other: 'a requester of type “other”',
};
export const withSource = (who: SentenceParts, sources: SentenceParts) => phrase`${who} named ${sources}`;
export const anyAction = 'any action';
export const match = (who: SentenceParts, actions: SentenceParts) => phrase`When ${who} requests ${actions}`;
export const withRisk = (tiers: SentenceParts) => phrase` with a requested risk of ${tiers}`;
export const withCondition = (condition: SentencePart) => phrase` and ${condition}`;

const effect = (text: string): SentencePart => ({ kind: 'effect', text });
export const allowed = phrase`is ${effect('allowed')}`;
export const denied = phrase`is ${effect('denied')}`;
export const requires = (approvals: SentenceParts) => phrase`${effect('requires')} ${approvals}`;

export const rule = (matches: SentenceParts, consequence: SentenceParts) =>
  phrase`${matches}, it ${consequence}`;
export const byDefault = (consequence: SentenceParts) =>
  phrase`If no rule matches, a request ${consequence}.`;
export const requirement = (consequence: SentenceParts) => phrase`It ${consequence}.`;

export const approvals = (count: number, from: SentenceParts) =>
  phrase`${formatCount(count)} ${count === 1 ? 'approval' : 'approvals'} from ${from}`;
export const furtherApprovals = (count: number, from: SentenceParts) =>
  phrase`${formatCount(count)} from ${from}`;
export const orNamed = (people: SentenceParts, groups: SentenceParts) =>
  phrase`${people}, or from members of ${groups} whom the request names`;
export const orPrograms = (people: SentenceParts) => phrase`${people} (programs can approve too)`;
export const roles: Readonly<Record<string, { one: string; several: string }>> = {
  'role:approver': { one: 'an approver (or higher role)', several: 'approvers (or higher roles)' },
  'role:admin': { one: 'an admin (or higher role)', several: 'admins (or higher roles)' },
  'role:owner': { one: 'an owner', several: 'owners' },
};

/** By proof of presence. */
export const proofs: Readonly<Record<string, string>> = {
  session: ', given in a signed-in session',
  device: ', given with a device key or passkey',
  passkey: ', given with a passkey',
};
/** A rule that allows and demands proof of presence sends the request for review. */
export const proofsAfterAll: Readonly<Record<string, string>> = {
  session: ', but its proof of presence requires approval in a signed-in session',
  device: ', but its proof of presence requires approval with a device key or passkey',
  passkey: ', but its proof of presence requires approval with a passkey',
};
export const within = (time: string) => `, within ${time}`;
export const riskFloor = (tier: SentencePart) => phrase`. Its risk is at least ${tier}`;
export const permitLifetime = (time: string) => `. Its permit is valid for at most ${time}`;
export const reason = (text: string) => ` “${text}”`;

export const notJson = (word: string) => `${word} is not valid JSON: strings need double quotes`;
export const tooManyDigits = (word: string) => `${word} can’t be stored exactly. Round it`;
export const afterDocument = 'Unexpected text after the end of the document';
export const tooDeep = 'Nested too deeply';
export const expectedName = 'Expected a name in double quotes';
export const forbiddenName = 'This name is not allowed';
export const duplicateName = (name: string) => `Duplicate name “${name}”`;
export const expectedColon = 'Expected a colon';
export const expectedCommaOr = (close: string) => `Expected a comma or ${close}`;
export const unclosedString = 'This string has no closing quotation mark';
export const invalidString = 'This string has an invalid escape sequence or control character';
export const expectedValue = 'Expected a value';
export const endsTooEarly = 'Unexpected end of the text';
export const policyIsObject = 'A policy must be an object: { … }';
