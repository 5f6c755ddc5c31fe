/** Texts of the agents: their list, their pages and the registration. */
import type { ReactNode } from 'react';
import { formatCount } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';

export const title = 'Agents';
export const lead =
  'Agents send requests before they act. Requests and the audit log show each agent by its name.';
export const register = 'Register agent';
export const agentList = 'Agents of this project';
export const onlyNewest = (count: number) => `Only the newest ${formatCount(count)} agents are shown.`;
export const empty = {
  title: 'No agents yet',
  leadForManagers: 'Register the first agent. You get its key, and code that sends its first request.',
  leadForOthers: 'Admins and owners register agents.',
} as const;

/** Headings of columns, labels of fields, and names of facts. */
export const properties = {
  agent: 'Agent',
  name: 'Name',
  status: 'Status',
  owner: 'Owner',
  framework: 'Framework',
  risk: 'Minimum risk',
  labels: 'Labels',
  fingerprint: 'Fingerprint',
  lastSeen: 'Last seen',
  registered: 'Registered',
  id: 'ID',
} as const;
export const notSet = 'Not set';
export const never = 'Never';
export const none = 'None';

/** In "Agent not found". */
export const item = 'agent';
export const viewRequests = 'View request history';
export const edit = 'Edit agent';
export const save = 'Save changes';
export const cancel = 'Cancel';
export const saved = 'Saved.';
export const sentForApproval =
  'Sent for approval. Another admin or owner must approve this change on the policy page.';

export const keys = {
  title: 'Keys',
  create: 'Create key',
  none: 'No keys. This agent can’t send requests.',
} as const;

export const hints = {
  name: 'Unique in this project, for example refund-bot. Approvers see it with every request.',
  framework: 'The library or platform that the agent is built with.',
  risk: 'Its requests are never shown with a lower risk, even if the agent reports one.',
  labels: 'For policy rules, for example team: payments.',
} as const;
export const optional = '(optional)';
export const moreOptions = 'More options';
export const label = (number: number) => `Label ${number}`;
export const labelValue = 'Value';
export const valueOfLabel = (number: number) => `Value of label ${number}`;
export const removeLabel = (number: number) => `Remove label ${number}`;
export const addLabel = 'Add label';

export const pause = 'Pause';
export const resume = 'Resume';
export const revoke = 'Revoke';
export const pauseNamed = (agent: string) => `Pause ${agent}`;
export const resumeNamed = (agent: string) => `Resume ${agent}`;
export const revokeNamed = (agent: string) => `Revoke ${agent}`;
export const paused = (agent: string) => `Paused ${agent}.`;
export const resumed = (agent: string) => `Resumed ${agent}.`;
export const revoked = (agent: string) => `Revoked ${agent}.`;
export const revokeTitle = 'Revoke this agent?';
export const revokeAgent = 'Revoke agent';
export const revokeConsequence = (agent: ReactNode) =>
  say`${agent} can no longer send requests. Its keys are refused from now on, and its permits are neither verified nor used. You can’t undo this, and no other agent can get its name. To stop it for a while, pause it.`;

export const ownersOfProject = 'All owners of this project';
export const ownerLeft = 'The owner left this project.';
export const keysExpire = (date: ReactNode) =>
  say`The agent’s existing keys expire on ${date}. To keep them, take over the agent.`;
export const takeOver = 'Take over agent';
export const takeOverTitle = 'Take over this agent?';
export const takeOverConsequence = (agent: ReactNode) =>
  say`You become the owner of ${agent}, and its keys keep working. In live mode your keys and access tokens can’t approve its requests. You can still approve them when you are signed in.`;

export const changePending = 'A change to this agent needs another admin or owner';
export const proposed = (person: ReactNode, when: ReactNode, changed: string, link: ReactNode) =>
  say`${person} proposed it ${when}: ${changed}. ${link}`;
export const viewChange = 'View the change';

export const registration = {
  keyStep: 'Give the agent its key',
  notAllowed: 'Only admins and owners can register agents.',
  createKey: 'Create key',
  done: 'Done',
} as const;
export const keyName = (agent: string) => `key of ${agent}`;

export const firstRequest = {
  waiting: 'Waiting for its first request',
  waitingLead: 'It appears here as soon as the agent sends it.',
  arrived: 'First request received',
  view: 'View request',
  skip: 'Go to agents',
} as const;
export const arrivedFrom = (agent: ReactNode) =>
  say`${agent} sent its first request. If it requires approval, open it to decide.`;
