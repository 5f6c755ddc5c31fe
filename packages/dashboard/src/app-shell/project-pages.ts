import type { IconName } from '../ui/icon.tsx';

/** The project pages in the navigation, in this order. `path` follows `/projects/:projectId/`. */
export const PROJECT_PAGES: readonly { path: string; label: string; icon: IconName }[] = [
  { path: 'overview', label: 'Overview', icon: 'overview' },
  { path: 'policy', label: 'Policy', icon: 'policy' },
  { path: 'agents', label: 'Agents', icon: 'agent' },
  { path: 'tools', label: 'Tools', icon: 'tool' },
  { path: 'keys', label: 'Keys', icon: 'key' },
  { path: 'members', label: 'Members', icon: 'member' },
  { path: 'groups', label: 'Groups', icon: 'group' },
  { path: 'audit', label: 'Audit', icon: 'audit' },
  { path: 'notifications', label: 'Notifications', icon: 'bell' },
  { path: 'webhooks', label: 'Webhooks', icon: 'webhook' },
  { path: 'settings', label: 'Settings', icon: 'settings' },
];
