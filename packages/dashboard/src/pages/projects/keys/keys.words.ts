/** Texts of the keys of a project, and of a person's own access tokens. */
import type { ReactNode } from 'react';
import { formatCount } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';
import type { Key } from '../project-frame/wire.ts';

export type KeyKind = Key['kind'];

export const title = 'Keys';
export const lead =
  'API keys for agents, services and executors. A key is shown only once, when it is created.';
export const create = 'Create key';
export const hidden = 'Only admins and owners can see and create the keys of this project.';
export const empty = {
  title: 'No keys',
  lead: 'Agents, services and executors need a key. Register an agent to get its key, or create one.',
} as const;
export const onlyNewest = (count: number) => `Only the newest ${formatCount(count)} keys are shown.`;
export const showRevoked = (count: number) => `Show revoked keys (${formatCount(count)})`;
export const keyList = 'Keys of this project';

/** Each hint says who holds the key, what it can do, and what it never does. */
export const kinds: Readonly<Record<KeyKind, { label: string; hint: string }>> = {
  agent: {
    label: 'Agent key',
    hint: 'For one agent. It sends requests, waits for decisions and uses permits. It can’t approve or deny, and sees only its own requests.',
  },
  secret: {
    label: 'Secret key',
    hint: 'For a service. It can do what your role allows, and stops working when you leave the project.',
  },
  verify: {
    label: 'Verifier key',
    hint: 'For an executor, the service that runs actions. It verifies and uses permits. It can’t send requests.',
  },
};
export const kindOf = (kind: string, holder: ReactNode) => say`${kind} of ${holder}`;

/** Headings of columns, and labels of fields. */
export const properties = {
  key: 'Key',
  token: 'Token',
  kind: 'Kind',
  agent: 'Agent',
  name: 'Name',
  rights: 'Rights',
  lastUsed: 'Last used',
  expires: 'Expires',
  rateLimit: 'Rate limit',
} as const;
export const perMinute = (count: number) => `${formatCount(count)}/min`;
export const notSet = 'Not set';
export const never = 'Never';
export const states = { revoked: 'revoked', expired: 'expired', soon: 'soon' } as const;

export const createForAgent = 'Create key for this agent';
export const chooseAgent = 'Choose an agent';
export const agentMissing = 'Choose the agent that gets this key.';
export const noAgents = 'No active agents. Register an agent first.';
export const nameHint = 'Where the key is used, for example “CI runner”.';
export const expiry = 'Expiry';
/** By number of days. */
export const expiries: Readonly<Record<string, string>> = {
  7: '7 days',
  30: '30 days',
  90: '90 days',
  365: '365 days',
  never: 'No expiry',
};
export const rateLimit = 'Rate limit (per minute)';
export const rateLimitHint = 'Keeps one client from using up the limit of the project.';
export const rateLimitInvalid = (most: number) =>
  `Enter a whole number from 1 to ${formatCount(most)}, or leave this empty.`;

export const revoke = 'Revoke';
export const revokeNamed = (key: string) => `Revoke the key ${key}`;
export const revokeTitle = 'Revoke this key?';
export const revokeKey = 'Revoke key';
export const revoked = (key: string) => `Revoked the key ${key}.`;
export const revokeConsequence = (key: ReactNode, kind: string, use: ReactNode) =>
  say`${key} (${kind.toLowerCase()}) is refused from the next request on. You can’t undo this. ${use}`;
export const lastUsed = (when: ReactNode) => say`It was last used ${when}.`;
export const neverUsed = 'It was never used.';

export const newKey = {
  title: 'Your new key',
  confirm: 'Confirm you’ve saved the key.',
  done: 'Done',
  what: 'key',
  note: 'The gate stores only its hash. Anyone who has the key can use it, so keep it in a secret store and never in code.',
  copyTo: 'your secret store',
  ifLost: 'Revoke it and create another.',
} as const;
export const shownOnce = (kind: KeyKind) => `${kinds[kind].label}: shown only once`;

export const snippets = {
  environment: 'Environment variables',
  theEnvironment: 'the environment variables',
  firstCall: 'First call',
  theCommand: 'the command',
  theProgram: 'the program',
  theConfiguration: 'the configuration',
  firstRequest: 'Send the first request',
} as const;
export const setVariables: Readonly<Record<KeyKind, string>> = {
  agent: 'Set these where the agent runs:',
  secret: 'Set these where the service runs:',
  verify: 'Set these where the executor runs:',
};
export const thenCall: Readonly<Record<KeyKind, string>> = {
  agent: 'Then send the first request:',
  secret: 'Then list pending requests:',
  verify: 'Then, before an action runs, verify and use its permit:',
};
export const thenRun = 'Then run this with Node. It sends the first request and waits for the decision:';
export const mcpEntry =
  'Add this to the configuration of the MCP client. It contains the key, so keep the file private:';
export const mcpTools =
  'The client can use the tools on the Tools page. Its first call of a tool that requires approval is the first request.';

export const ownTokens = {
  title: 'Your access tokens',
  revoke: 'Revoke',
  revokeTitle: 'Revoke this access token?',
  revokeToken: 'Revoke token',
  /** What every token can do. */
  read: 'read',
} as const;
export const ownTokensLead = (login: ReactNode, create: ReactNode) =>
  say`Programs use them to act as you in all of your projects. You create one with ${login}, and the operator can create one with ${create}.`;
export const revokeTokenNamed = (token: string) => `Revoke the token ${token}`;
export const revokedToken = (token: string) => `Revoked the token ${token}.`;
export const revokeTokenConsequence = (token: ReactNode) =>
  say`${token} is refused from the next request on. You can’t undo this.`;
