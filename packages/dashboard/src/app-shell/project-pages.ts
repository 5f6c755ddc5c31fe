import type { IconName } from '../ui/icon.tsx';
import * as words from './app-shell.words.ts';

/** The project pages in the navigation, in this order. `path` follows `/projects/:projectId/`. */
export const PROJECT_PAGES: readonly { path: string; label: string; icon: IconName }[] = [
  { path: 'overview', label: words.overview, icon: 'overview' },
  { path: 'policy', label: words.policy, icon: 'policy' },
  { path: 'agents', label: words.agents, icon: 'agent' },
  { path: 'tools', label: words.tools, icon: 'tool' },
  { path: 'keys', label: words.keys, icon: 'key' },
  { path: 'members', label: words.members, icon: 'member' },
  { path: 'groups', label: words.groups, icon: 'group' },
  { path: 'audit', label: words.audit, icon: 'audit' },
  { path: 'notifications', label: words.notifications, icon: 'bell' },
  { path: 'webhooks', label: words.webhooks, icon: 'webhook' },
  { path: 'settings', label: words.settings, icon: 'settings' },
];
