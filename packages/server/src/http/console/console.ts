/**
 * The dashboard's own routes: sign-in, account, inbox and other parts that no published surface offers. For everything
 * else, the pages call the published surfaces with the same session. Not part of the published reference.
 */
import type { GateApp } from '../routes/surface.ts';
import { accountRoutes } from './account.ts';
import { chatHookRoutes } from './chat-hook.ts';
import type { ConsoleTools } from './console-tools.ts';
import { decisionRoutes } from './decisions.ts';
import { deviceKeyRoutes } from './device-keys.ts';
import { inboxRoutes } from './inbox.ts';
import { intentRoutes } from './intents.ts';
import { invitationRoutes } from './invitations.ts';
import { notificationRoutes } from './notifications.ts';
import { oidcRoutes } from './oidc.ts';
import { overviewRoutes } from './overview.ts';
import { pairingRoutes } from './pairings.ts';
import { passkeyRoutes } from './passkeys.ts';
import { passwordResetRoutes } from './password-reset.ts';
import { projectInvitationRoutes } from './project-invitations.ts';
import { projectRoutes } from './projects.ts';
import { sessionRoutes } from './sessions.ts';
import { setUpRoutes } from './set-up.ts';
import { signInRoutes } from './sign-in.ts';
import { streamRoutes } from './stream.ts';
import { tokenRoutes } from './tokens.ts';
import { waitingProposalRoutes } from './waiting-proposals.ts';

export const CONSOLE_PREFIX = '/console';

export function consoleRoutes(app: GateApp, tools: ConsoleTools): void {
  sessionRoutes(app, tools);
  signInRoutes(app, tools);
  setUpRoutes(app, tools);
  invitationRoutes(app, tools);
  passwordResetRoutes(app, tools);
  oidcRoutes(app, tools);
  accountRoutes(app, tools);
  passkeyRoutes(app, tools);
  deviceKeyRoutes(app, tools);
  pairingRoutes(app, tools);
  inboxRoutes(app, tools);
  decisionRoutes(app, tools);
  intentRoutes(app, tools);
  streamRoutes(app, tools);
  projectRoutes(app, tools);
  projectInvitationRoutes(app, tools);
  overviewRoutes(app, tools);
  tokenRoutes(app, tools);
  notificationRoutes(app, tools);
  chatHookRoutes(app, tools);
  waitingProposalRoutes(app, tools);
}
