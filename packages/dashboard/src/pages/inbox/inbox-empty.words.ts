/** Texts of an inbox without requests. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const noProject = {
  title: 'You’re not a member of any project',
  lead: 'Ask a project owner or admin for an invitation. Requests of that project then appear here.',
} as const;

export const nonePending = {
  title: 'No pending requests',
  lead: 'New ones appear here automatically.',
} as const;
export const viewHistory = 'View history';

export const first = {
  title: 'No requests yet',
  leadForAdmin:
    'Register an agent. You get its key and a command that sends a first request from your terminal. The request appears here as soon as it arrives, and you decide.',
  lead: 'The first request appears here as soon as it arrives, and you decide.',
  register: 'Register an agent',
  withKey: 'With an existing key, an agent sends a request like this:',
  inProject: (project: ReactNode) =>
    say`An agent of ${project} sends a request like this. Ask a project admin for its key:`,
  terminal: 'Terminal',
  command: 'the command',
} as const;
export const requestCommand = (origin: string) =>
  [
    `curl ${origin}/v1/intents \\`,
    '  -H "Authorization: Bearer $AGENT_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"action":"payments.refund","params":{"order":"A-4711","amount":120.5}}'`,
  ].join('\n');

export const noMatch = {
  title: 'No matching requests',
  lead: 'Decided requests are in History.',
} as const;
export const noMatchYet = {
  title: 'No match so far',
  lead: 'Some pending requests have not been searched yet.',
} as const;
export const clearFilters = 'Clear filters';
