/**
 * The types of audit events: their labels in the filter, and a sentence for each. The sentence follows the name of the
 * actor and has placeholders for members of the event, as `fillIn` reads them: `registered the agent {name}`.
 */
import type { EventType } from '@permitry/protocol';
import type { ReactNode } from 'react';
import { formatCount } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';

export type EventGroup =
  | 'requests'
  | 'permits'
  | 'agents'
  | 'project'
  | 'policy'
  | 'keys'
  | 'people'
  | 'sign-in'
  | 'refusals';

export type Data = Readonly<Record<string, unknown>>;

/** A few sentences depend on the event, or differ when actors act on themselves. */
export type Sentence = string | ((data: Data, actorId: string) => string);

export const groups: Record<EventGroup, string> = {
  requests: 'Requests and decisions',
  permits: 'Permits and outcomes',
  agents: 'Agents',
  people: 'Members, groups and invitations',
  keys: 'Keys',
  policy: 'Policy',
  project: 'Project',
  refusals: 'Refused access',
  'sign-in': 'Sign-in and accounts',
};

export const erased = '(erased)';
/** Shown when the event does not list the changed properties. */
export const properties = 'properties';
export const validUntil = (date: ReactNode) => say`, valid until ${date}`;
export const quoted = (text: ReactNode) => say`: “${text}”`;

const decidedByPolicy: Readonly<Record<string, string>> = {
  auto_approve: ', allowed by policy',
  auto_deny: ', denied by policy',
  require_approval: ', sent for review',
};

const methods: Readonly<Record<string, string>> = {
  policy: 'by policy',
  key: 'with a secret key',
  token: 'with an access token',
  session: 'in a session',
  device: 'with a device key',
  passkey: 'with a passkey',
};

const keyKinds: Readonly<Record<string, string>> = { user: 'access token', verify: 'verifier key' };

const reasonsDisabled: Readonly<Record<string, string>> = {
  gone: ': it answered 410',
  failing: ': every delivery failed for 5 days',
};

const erasedData: Readonly<Record<string, string>> = {
  intent: ' in one request',
  person: ' of one person',
  age: ' from before {time older_than}',
};

/** In the order of the filter. */
export const events: Record<
  EventGroup,
  Partial<Record<EventType, readonly [label: string, says: Sentence]>>
> = {
  requests: {
    'intent.created': [
      'Requested',
      ({ decision, rule }) =>
        `requested {action}${decidedByPolicy[String(decision)] ?? ''}${typeof rule === 'string' ? ' (rule {rule})' : ''} {risk risk_tier}`,
    ],
    'approval.recorded': [
      'Decision recorded',
      ({ decision, method }) =>
        `decided to ${decision === 'deny' ? 'deny' : 'approve'} ${methods[String(method)] ?? 'by {word method}'}{because comment}`,
    ],
    'intent.approved': ['Approved', 'approved the request, which needs no more approvals'],
    'intent.denied': ['Denied', 'denied the request{because reason}'],
    'intent.expired': ['Expired', 'marked the request as expired'],
    'extension.requested': ['Asked for more time', 'asked for more time to decide{because comment}'],
  },
  permits: {
    'permit.issued': ['Permit issued', 'had the gate issue a permit{until expires_at}'],
    'permit.consumed': ['Permit used', 'used the permit'],
    'permit.released': [
      'Use undone',
      'undid the use of the permit, because nothing was sent{because reason}',
    ],
    'permit.revoked': ['Approval revoked', 'revoked the approval{because reason}'],
    'outcome.reported': [
      'Outcome reported',
      ({ outcome }) =>
        `reported that the ${outcome === 'unknown' ? 'outcome is unknown' : 'action {word outcome}'}{because detail}`,
    ],
  },
  agents: {
    'agent.registered': ['Registered', 'registered the agent {name}'],
    'agent.updated': ['Changed', 'changed {list changed} of the agent {name}'],
    'agent.owner_left': ['Owner left', 'left the agent {name} without an owner: its keys expire in 7 days'],
    'agent.keys_ending': ['Keys expire soon', 'warned that the keys of the agent {name} expire within a day'],
    'agent.paused': ['Paused', 'paused the agent {name}'],
    'agent.resumed': ['Resumed', 'resumed the agent {name}'],
    'agent.revoked': ['Revoked', 'revoked the agent {name}'],
  },
  project: {
    'project.created': [
      'Created',
      'created the project {name} in {word mode} mode, with {owner} as its owner',
    ],
    'project.renamed': ['Renamed', 'renamed the project from {previous_name} to {name}'],
    'project.limit_updated': [
      'Rate limit set',
      ({ per_minute }) => {
        if (per_minute === null) return 'set the rate limit of the project to the gate default';
        if (per_minute === 0) return 'removed the rate limit of the project';
        return `set the rate limit of the project to ${count(per_minute, 'request')} per minute`;
      },
    ],
    'project.stopped': ['Stopped', 'stopped the project'],
    'project.started': ['Started', 'started the project again'],
    'project.restored': [
      'Restored from a backup',
      ({ approvals_revoked }) =>
        `restored the gate from a backup of {time copied_at} and revoked ${count(approvals_revoked, 'approval')}`,
    ],
    'chat_hook.updated': ['Chat set up', 'set up the chat for notifications'],
    'chat_hook.removed': ['Chat removed', 'removed the chat for notifications'],
    'webhook.created': ['Webhook created', 'created the webhook to {host}'],
    'webhook.updated': [
      'Webhook changed',
      ({ address_changed }) =>
        `changed ${address_changed === true ? 'the address of a webhook, now' : 'the webhook to'} {host}`,
    ],
    'webhook.enabled': ['Webhook enabled', 'enabled the webhook to {host}'],
    'webhook.disabled': [
      'Webhook disabled',
      ({ reason }) => `disabled the webhook to {host}${reasonsDisabled[String(reason)] ?? ''}`,
    ],
    'webhook.deleted': ['Webhook deleted', 'deleted the webhook to {host}'],
    'webhook.secret_rotated': [
      'Webhook secret rotated',
      ({ overlap_seconds }) =>
        `rotated the secret of a webhook${overlap_seconds === 0 ? ' and ended its older secrets at once' : ''}`,
    ],
    'webhook.secret_dropped': ['Older webhook secrets ended', 'ended the older secrets of a webhook'],
    'webhook.replayed': [
      'Events replayed',
      ({ queued }) => `replayed ${count(queued, 'event')} to a webhook`,
    ],
    'upstream.added': [
      'MCP server added',
      ({ kind }) => `added the MCP server {name}${kind === 'stdio' ? ', the command' : ' at'} {target}`,
    ],
    'upstream.updated': [
      'MCP server changed',
      ({ address_changed }) =>
        `changed the ${address_changed === true ? 'address of the ' : ''}MCP server {name}`,
    ],
    'upstream.removed': ['MCP server removed', 'removed the MCP server {name}'],
    'upstream.tools_found': [
      'Tools found',
      (data) => `found ${count(data.count, 'new tool')} of {name} to review`,
    ],
    'upstream.tools_changed': [
      'Tools changed',
      (data) => `found ${count(data.count, 'tool')} of {name} that changed, disappeared or came back`,
    ],
    'upstream.tools_approved': [
      'Tools approved',
      ({ tools }) => `approved ${count(tools, 'tool')} of {name}`,
    ],
    'upstream.tools_withdrawn': [
      'Tools disabled',
      ({ tools }) => `disabled ${count(tools, 'tool')} of {name}`,
    ],
    'text.erased': [
      'Personal data erased',
      ({ subject }) => `erased personal data${erasedData[String(subject)] ?? ''}`,
    ],
    'retention.updated': [
      'Data retention set',
      ({ days }) => {
        if (days === null) return 'set data retention to the gate default';
        return days === 0
          ? 'set data retention to “Keep forever”'
          : `set data retention to ${count(days, 'day')}`;
      },
    ],
  },
  policy: {
    'policy.updated': ['Policy published', 'published policy version {word version}, {hash hash}'],
    'policy.proposed': ['Change proposed', 'proposed a policy change{because comment}'],
    'policy.proposal_rejected': ['Change rejected', 'rejected the policy change{because reason}'],
    'policy.proposal_withdrawn': ['Change withdrawn', 'withdrew the policy change{because reason}'],
    'policy.second_person_updated': [
      'Two-person rule',
      ({ required }) => `turned ${required === false ? 'off' : 'on'} the two-person rule for policy changes`,
    ],
    'shadow.updated': ['Shadow policy set', 'set the shadow policy, {hash hash}'],
    'shadow.removed': ['Shadow policy removed', 'removed the shadow policy'],
  },
  keys: {
    'key.created': ['Key created', (data) => `created ${whichKey(data)}`],
    'key.revoked': ['Key revoked', (data) => `revoked ${whichKey(data)}`],
    'signing_key.rotated': ['Signing key rotated', 'made {code kid} the signing key'],
    'signing_key.compromised': [
      'Signing key compromised',
      'marked the signing key {code kid} as compromised',
    ],
  },
  people: {
    'member.invited': ['Invited', 'invited {email} as {word role}'],
    'invitation.revoked': ['Invitation revoked', 'revoked the invitation of {email}'],
    'member.added': [
      'Joined',
      ({ user_id }, actorId) =>
        user_id === actorId ? 'joined the project as {word role}' : 'added {email} as {word role}',
    ],
    'member.updated': [
      'Role changed',
      'changed the role of {email} from {word previous_role} to {word role}',
    ],
    'member.removed': [
      'Left or removed',
      ({ user_id }, actorId) =>
        user_id === actorId ? 'left the project' : 'removed {email} from the project',
    ],
    'group.updated': [
      'Group changed',
      ({ created, member_ids }) =>
        `${created === true ? 'created' : 'changed'} the group {name}: ${count(member_ids, 'member')}`,
    ],
    'group.removed': ['Group removed', 'removed the group {name}'],
  },
  'sign-in': {
    'password.changed': ['Password changed', 'changed a password'],
    'second_factor.enabled': ['Second factor set up', 'set up a second factor'],
    'second_factor.removed': ['Second factor removed', 'removed a second factor'],
    'recovery_codes.made': ['Recovery codes created', 'created new recovery codes'],
    'recovery_code.used': ['Recovery code used', 'signed in with a recovery code'],
    'identity.linked': ['Provider linked', 'linked an identity provider'],
    'identity.removed': ['Provider unlinked', 'unlinked an identity provider'],
    'passkey.added': ['Passkey added', 'added a passkey'],
    'passkey.removed': ['Passkey removed', 'removed a passkey'],
    'passkey.refused': ['Passkey refused', 'refused a passkey that may be a copy'],
    'device_key.added': ['Device key added', 'added a device key'],
    'device_key.removed': ['Device key removed', 'removed a device key'],
    'sign_in.blocked': [
      'Sign-ins throttled',
      'throttled sign-ins to one account: too many attempts from unknown IP addresses',
    ],
    'session.crowded_out': [
      'Session signed out',
      'signed out a member’s least recently used session: session limit reached',
    ],
  },
  refusals: {
    'access.refused': [
      'Refused access',
      ({ required }) =>
        `was refused {code route}${required === null || required === undefined ? '' : ', which requires {required}'}`,
    ],
  },
};

function whichKey({ kind, reason }: Data): string {
  const which = keyKinds[String(kind)] ?? '{word kind} key';
  return `the ${which} {name} {code… hint}${typeof reason === 'string' ? ' ({word reason})' : ''}`;
}

/** `1 tool`, `2 tools`. For a list, its length. */
function count(value: unknown, noun: string): string {
  const number = Array.isArray(value) ? value.length : Number(value ?? 0);
  return `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;
}
