/** The routes. Each page is a chunk of its own, loaded on the first visit. */
import { type ComponentType, lazy } from 'react';
import { matchRoutes, Navigate, type RouteObject } from 'react-router';
import { AppShell } from './app-shell/app-shell.tsx';
import { NoPage } from './app-shell/failed-page.tsx';
import { RequireSession } from './app-shell/require-session.tsx';

const NoPageOutside = lazy(() => import('./app-shell/no-page-outside.tsx'));

type Load = () => Promise<{ default: ComponentType }>;

/** `page('/inbox', () => import('./pages/inbox/inbox-page.tsx'))`: the module's default export is the page. */
function page(path: string, load: Load): RouteObject {
  const Page = lazy(load);
  return { path, element: <Page />, handle: load };
}

/** For anybody. */
const openPages: RouteObject[] = [
  page('/sign-in', () => import('./pages/sign-in/sign-in-page.tsx')),
  page('/set-up', () => import('./pages/set-up/set-up-page.tsx')),
  page('/invitation', () => import('./pages/invitation/invitation-page.tsx')),
  page('/reset-password', () => import('./pages/reset-password/reset-password-page.tsx')),
];

/** For people who are signed in. */
const ownPages: RouteObject[] = [
  page('/projects', () => import('./pages/projects/list/list-page.tsx')),
  page('/inbox', () => import('./pages/inbox/inbox-page.tsx')),
  page('/history', () => import('./pages/history/history-page.tsx')),
  page('/approve/:intentId', () => import('./pages/approve/approve-page.tsx')),
  page('/connect', () => import('./pages/connect/connect-page.tsx')),
  page('/account', () => import('./pages/account/profile-page.tsx')),
  page('/account/security', () => import('./pages/account/security-page.tsx')),
  page('/account/sessions', () => import('./pages/account/sessions-page.tsx')),
  page('/account/tokens', () => import('./pages/account/tokens-page.tsx')),
  page('/account/notifications', () => import('./pages/account/notifications/notifications-page.tsx')),
];

/** Below `/projects/:projectId/`. */
const projectPages: RouteObject[] = [
  page('overview', () => import('./pages/projects/overview/overview-page.tsx')),
  page('policy', () => import('./pages/projects/policy/policy-page.tsx')),
  page('agents', () => import('./pages/projects/agents/agents-page.tsx')),
  page('agents/register', () => import('./pages/projects/agents/register-page.tsx')),
  page('agents/:agentId', () => import('./pages/projects/agents/agent-page.tsx')),
  page('keys', () => import('./pages/projects/keys/keys-page.tsx')),
  page('members', () => import('./pages/projects/members/members-page.tsx')),
  page('groups', () => import('./pages/projects/groups/groups-page.tsx')),
  page('audit', () => import('./pages/projects/audit/audit-page.tsx')),
  page('notifications', () => import('./pages/projects/notifications/notifications-page.tsx')),
  page('webhooks', () => import('./pages/projects/webhooks/webhooks-page.tsx')),
  page('webhooks/:webhookId', () => import('./pages/projects/webhooks/webhook-page.tsx')),
  page('tools', () => import('./pages/projects/tools/tools-page.tsx')),
  page('tools/:upstreamId', () => import('./pages/projects/tools/server-page.tsx')),
  page('settings', () => import('./pages/projects/settings/settings-page.tsx')),
  { index: true, element: <Navigate to="overview" replace /> },
];

export const routes: RouteObject[] = [
  { path: '/', element: <Navigate to="/inbox" replace /> },
  ...openPages,
  {
    element: <RequireSession />,
    children: [
      {
        element: <AppShell />,
        children: [
          ...ownPages,
          { path: '/projects/:projectId', children: [...projectPages, { path: '*', element: <NoPage /> }] },
        ],
      },
    ],
  },
  {
    element: <RequireSession otherwise={<NoPageOutside />} />,
    children: [{ element: <AppShell />, children: [{ path: '*', element: <NoPage /> }] }],
  },
];

/** Starts to load a page before anything is drawn, without waiting for the session. */
export function preloadPage(pathname: string): void {
  for (const { route } of matchRoutes(routes, pathname) ?? []) {
    // If it fails, the page reports the error when it is drawn.
    (route.handle as Load | undefined)?.().catch(() => undefined);
  }
}
