import { canonicalJson, type JsonObject } from '@permitry/protocol';
import type { FieldProblem } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { LABEL_RULE, toLabel } from '../kernel/label.ts';
import { AGENT_PROFILE, type Agent, type AgentProfile } from './agent.ts';
import { AGENT_NAME_RULE, toAgentName } from './agent-name.ts';

/** Null removes the property. */
export type AgentChanges = Partial<AgentProfile>;

/** For an agent registered without a profile. */
export const BLANK_PROFILE: AgentProfile = {
  name: '',
  fingerprint: null,
  framework: null,
  labels: {},
  riskTier: 'low',
};

const FINGERPRINT = /^[\x21-\x7e]{1,200}$/;
const LABEL_KEY = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,62})$/;
const MAX_LABELS = 32;
const MAX_LABEL_VALUE_LENGTH = 200;

/** The profile with the changes applied and its texts normalised. Throws `invalid_fields`. */
export function changeProfile(profile: AgentProfile, changes: AgentChanges): AgentProfile {
  const name = changes.name === undefined ? profile.name : toAgentName(changes.name);
  const framework = changes.framework == null ? changes.framework : toLabel(changes.framework);
  const problems = [
    name === undefined && { path: '/name', message: AGENT_NAME_RULE },
    changes.framework != null && framework === undefined && { path: '/framework', message: LABEL_RULE },
    changes.fingerprint != null &&
      !FINGERPRINT.test(changes.fingerprint) && {
        path: '/fingerprint',
        message: 'Must be 1 to 200 printable ASCII characters without spaces.',
      },
    ...labelProblems(changes.labels ?? {}),
  ];
  if (name === undefined || problems.some((problem) => problem !== false)) throw invalidFields(...problems);
  return {
    name,
    fingerprint: changes.fingerprint === undefined ? profile.fingerprint : changes.fingerprint,
    framework: framework === undefined ? profile.framework : framework,
    labels: changes.labels ?? profile.labels,
    riskTier: changes.riskTier ?? profile.riskTier,
  };
}

function labelProblems(labels: JsonObject): FieldProblem[] {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS)
    return [{ path: '/labels', message: `Must have at most ${MAX_LABELS} members.` }];
  return entries.flatMap(([key, value]) => {
    const path = `/labels/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!LABEL_KEY.test(key))
      return { path, message: 'A label is named with 1 to 63 letters, digits and . _ / -.' };
    if (typeof value === 'number' || typeof value === 'boolean') return [];
    if (typeof value === 'string' && value.length <= MAX_LABEL_VALUE_LENGTH) return [];
    return {
      path,
      message: `Must be a string of at most ${MAX_LABEL_VALUE_LENGTH} characters, a number or a boolean.`,
    };
  });
}

/** The changeable members of an agent, by their wire names. */
export function toWireProfile({ riskTier, ownerId, ...agent }: AgentProfile & Pick<Agent, 'ownerId'>) {
  const { name, fingerprint, framework, labels } = agent;
  return { name, fingerprint, framework, labels, risk_tier: riskTier, owner_id: ownerId };
}

export type WireProfile = ReturnType<typeof toWireProfile>;
export type AgentProperty = keyof WireProfile;

/** Properties that no rule can use. */
export const OF_NO_RULE: ReadonlySet<AgentProperty> = new Set(['framework']);

/** Converts the wire names of a profile to the gate's. Omitted members stay omitted. */
export function fromWireProfile(said: Partial<Omit<WireProfile, 'owner_id'>>): AgentChanges {
  const profile = { ...said, riskTier: said.risk_tier };
  return Object.fromEntries(
    AGENT_PROFILE.map((name) => [name, profile[name]]).filter(([, value]) => value !== undefined),
  );
}

/** Lists the properties that differ, by their wire names. */
export function changedProperties(before: Agent, after: Agent): AgentProperty[] {
  const [was, is] = [toWireProfile(before), toWireProfile(after)];
  const changed = (Object.keys(is) as AgentProperty[]).filter(
    (property) => canonicalJson({ value: was[property] }) !== canonicalJson({ value: is[property] }),
  );
  // The owner's id does not change when a person leaves, returns and takes the agent over again.
  const isTakenOverAgain = before.ownerLeftAt !== after.ownerLeftAt && before.ownerId === after.ownerId;
  return isTakenOverAgain ? [...changed, 'owner_id'] : changed;
}
