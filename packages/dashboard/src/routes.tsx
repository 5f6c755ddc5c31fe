/** Which page stands at which address. Each page is a chunk of its own, loaded when one goes there. */
import { createBrowserRouter, Navigate, type RouteObject } from 'react-router';
import { AppShell } from './app-shell/app-shell.tsx';
import { FailedPage, NoPage } from './app-shell/failed-page.tsx';
import { RequireSession } from './app-shell/require-session.tsx';
import { Root } from './app-shell/root.tsx';
import { Waiting } from './ui/waiting.tsx';

/** `page('/inbox', () => import('./pages/inbox/inbox-page.tsx'))`: the module's default export is the page. */
function page(path: string, load: () => Promise<{ default: React.ComponentType }>): RouteObject {
  return { path, lazy: async () => ({ Component: (await load()).default }) };
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
  page('/account', () => import('./pages/account/profile-page.tsx')),
  page('/account/security', () => import('./pages/account/security-page.tsx')),
  page('/account/sessions', () => import('./pages/account/sessions-page.tsx')),
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
  page('settings', () => import('./pages/projects/settings/settings-page.tsx')),
  { index: true, element: <Navigate to="overview" replace /> },
];

export const router = createBrowserRouter([
  {
    element: <Root />,
    errorElement: <FailedPage />,
    hydrateFallbackElement: <Waiting />,
    children: [
      { path: '/', element: <Navigate to="/inbox" replace /> },
      ...openPages,
      {
        element: <RequireSession />,
        children: [
          {
            element: <AppShell />,
            children: [
              {
                errorElement: <FailedPage />,
                children: [
                  ...ownPages,
                  { path: '/projects/:projectId', children: projectPages },
                  { path: '*', element: <NoPage /> },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
]);
