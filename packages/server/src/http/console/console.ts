/**
 * The dashboard's own door, for what no published surface offers: sign-in, account, inbox. Everything else the pages ask
 * of the published surfaces, with the same session. Not part of the published reference.
 */
import type { Config } from '../../config.ts';
import type { GateApp, RouteTools } from '../shared/surface.ts';
import { sessionRoutes } from './sessions.ts';

/** What console routes are handed. */
export interface ConsoleTools extends RouteTools {
  config: Config;
}

export const CONSOLE_PREFIX = '/console';

export function consoleRoutes(app: GateApp, tools: ConsoleTools): void {
  sessionRoutes(app, tools);
}
