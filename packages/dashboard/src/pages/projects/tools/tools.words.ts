/** Texts of the tools page, and of the pages of MCP servers. */
import type { ReactNode } from 'react';
import { formatCount, formatLifetime } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';

export const title = 'Tools';
export const lead =
  'The gate runs these tools for agents. Each call must be allowed by policy or approved by people, and then runs once.';
export const needReview = (count: number) =>
  count === 1 ? '1 tool needs review' : `${formatCount(count)} tools need review`;
export const reviewBeforeUse = (servers: ReactNode) =>
  say`Agents can’t use new or changed tools until you approve them: ${servers}.`;

/** Headings of columns, labels of fields, and names of facts. */
export const properties = {
  server: 'Server',
  tool: 'Tool',
  state: 'State',
  risk: 'Risk',
  availableTools: 'Available tools',
  needsReview: 'Needs review',
  connector: 'Connector',
  arguments: 'Arguments',
  called: 'Called',
  lastChange: 'Last change',
  host: 'Host',
  command: 'Command on the gate’s machine',
  headers: 'Headers sent to it',
  variables: 'Environment variables',
  selfReported: 'Self-reported name',
  lastReached: 'Last reached',
  defaultRisk: 'Default risk of its tools',
  timeLimit: 'Time limit per call',
  id: 'ID',
} as const;
export const none = 'None';
export const never = 'Never';
export const toolCount = (count: number) => (count === 1 ? '1 tool' : `${formatCount(count)} tools`);

export const servers = 'MCP servers';
export const serverList = 'MCP servers of this project';
export const noServers = {
  title: 'No MCP servers',
  leadForManagers:
    'Add a server by its address, then approve the tools that agents can use. The operator adds a server that runs as a command on the gate’s machine:',
  leadForOthers: 'Admins and owners add MCP servers.',
  theCommand: 'the command',
} as const;
export const serverStates = {
  reachable: 'Reachable',
  unreachable: 'Unreachable',
  notChecked: 'Not checked',
} as const;

export const available = 'Available tools';
export const endpoints = (mcp: ReactNode, http: ReactNode) =>
  say`Agents call them with their agent key, over MCP at ${mcp} or over HTTP at ${http}.`;
export const noTools = {
  title: 'No tools',
  lead: 'Approve the tools of an MCP server so that agents can use them.',
} as const;
export const mock = 'Mock';
export const mockMeans = 'It does nothing except record its calls.';
export const viewArguments = 'View arguments';
export const viewArgumentsOf = (tool: string) => `View arguments of ${tool}`;
export const argumentsOf = (tool: string) => `Arguments of ${tool}`;
export const schemaMeans =
  'If the arguments of a call don’t match this JSON Schema, the call is refused and no request is created.';
export const close = 'Close';

export const mocks = {
  title: 'Mock activity',
  lead: 'Mock connectors do nothing except record their calls.',
  connector: 'Mock connector',
  list: 'Calls of this connector',
} as const;
export const noCalls = (connector: string) => ({
  title: 'No calls yet',
  lead: `Calls of ${connector} tools appear here.`,
});

export const addServer = {
  open: 'Add MCP server',
  submit: 'Add server',
  name: 'Name',
  nameHint: 'Prefix for its tools, for example github.create_issue.',
} as const;
export const editServer = {
  title: 'Edit server',
  submit: 'Save changes',
  done: 'Changed the server.',
} as const;
export const serverFields = {
  address: 'Address',
  addressHint: 'Its MCP endpoint (Streamable HTTP), beginning with https://. It is not shown again.',
  addressKept:
    'Leave this empty to keep the current address. After a change, all tools must be approved again. If the new address has another origin (scheme, host or port), the current headers are deleted.',
  header: 'Header name',
  headerHint: 'The header is sent to this server with every HTTP request, and to no other server.',
  headerValue: 'Header value',
  headerValueHint: 'For example “Bearer” and a token. It is not shown again.',
  defaultRiskHint: 'For tools without a risk of their own. Tools marked destructive are at least high.',
} as const;

/** In "Server not found". */
export const item = 'server';
export const server = 'MCP server';
export const unreachable = 'The gate can’t reach this server';
export const unreachableSince = (error: ReactNode, date: ReactNode) =>
  say`${error} Unreachable since ${date}. The gate tries again at the next call of one of its tools.`;
export const refresh = 'Refresh tools';
export const remove = 'Remove server';
export const removeTitle = (server: string) => `Remove ${server}?`;
export const removed = 'Removed the server.';
export const removeConsequence =
  'Agents can no longer use its tools. The approvals of its tools, and the headers or variables that the gate sends to it, are deleted. Calls that are still pending are refused when the requester continues them, even after an approval.';
export const notReached = 'Not known yet';
export const timeLimit = (seconds: number) => formatLifetime(seconds);

export const toolStates = {
  new: 'New',
  approved: 'Available',
  changed: 'Changed',
  gone: 'Not listed',
} as const;
export const cannotBeUsed = 'Unavailable';
export const changed = (count: number) =>
  count === 1 ? 'A tool changed after its approval' : 'Tools changed after their approval';
export const changedMeans =
  'The server changed the definition of each tool marked “Changed”. Agents can’t use it until an admin or owner approves it again.';
export const toolList = 'Tools of this server';
export const notReachedLead = 'The gate has not reached the server yet, so its tools are not known.';
export const listsNone = 'The server lists no tools.';
export const review = 'Review';
export const reviewNamed = (tool: string) => `Review ${tool}`;
export const reviewNew = (count: number) => `Review ${formatCount(count)} new tools`;
export const disable = 'Disable';
export const disableNamed = (tool: string) => `Disable ${tool}`;
export const disableTitle = (tool: string) => `Disable ${tool}?`;
export const disableTool = 'Disable tool';
export const disabled = 'Disabled the tool.';
export const disableConsequence = 'Agents can no longer use this tool. You can review and approve it again.';

export const approve = 'Approve tool as shown';
export const approveNew = (count: number) => `Approve ${formatCount(count)} tools as shown`;
export const approved = (count: number) =>
  count === 1
    ? 'Approved the tool. Agents can use it now.'
    : `Approved ${formatCount(count)} tools. Agents can use them now.`;
export const changedMeanwhile = {
  title: 'The tool changed during your review',
  lead: 'This is its current definition from the server.',
} as const;
/** What the shown definition is. */
export const shown = {
  new: 'This is the definition of the tool from its server.',
  approved: 'This is the approved definition, which the server still reports.',
  changed:
    'The definition from the server differs from the approved one. Agents can’t use the tool until an admin or owner approves it again.',
  changedBack:
    'The server had changed the definition, and now reports the approved one again. Agents can’t use the tool until an admin or owner approves it again.',
} as const;
export const shownNew = 'These are the definitions of the tools from their server.';
export const lookForInstructions =
  'Agents read exactly what you approve here. Look for instructions that are aimed at them.';
export const approvedHash = (hash: ReactNode) =>
  say`You approve exactly the definition with this hash: ${hash}`;
export const theHash = 'the hash of the definition';
export const minimumRisk = 'Minimum risk';
export const minimumRiskHint =
  'Requests for this tool have at least this risk. Policy and agents can only raise it.';
export const serverDefault = 'Server default';

/** For screen readers, before a line of a comparison. */
export const lines = { same: '', added: 'added: ', removed: 'removed: ' } as const;
/** How a definition begins, before its JSON. Undefined: the tool has none. */
export const definitionTitle = (quoted: string | undefined) => `Title: ${quoted ?? 'none'}`;
export const definitionDescription = (lineCount: number | undefined) =>
  lineCount === undefined
    ? 'Description: none'
    : `Description, ${lineCount === 1 ? '1 line' : `${lineCount} lines`}:`;
