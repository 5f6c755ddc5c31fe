/** How much of a log a client wants to see: it says so once, and its calls come one by one. */

import { NewestKept } from '../../gate/kernel/newest-kept.ts';
import type { LogLevel } from '../../gate/tools/connectors.ts';

/** As RFC 5424 and MCP name them, ascending. */
const LOG_LEVELS: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

const UNASKED: LogLevel = 'info';
const MOST_CLIENTS = 10_000;

/** Kept by the gate that heard it. Another one, and this one after ten thousand others, goes by `info`. */
export class LogLevels {
  readonly #least = new NewestKept<string, LogLevel>(MOST_CLIENTS);

  keep(sessionId: string, least: LogLevel): void {
    this.#least.keep(sessionId, least);
  }

  wants(sessionId: string, level: LogLevel): boolean {
    const least = this.#least.get(sessionId) ?? UNASKED;
    return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
  }
}
