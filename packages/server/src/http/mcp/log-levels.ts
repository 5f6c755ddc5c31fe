/**
 * The lowest log level that each client wants. A client sets the level once, and its calls arrive as separate requests.
 */

import { NewestKept } from '../../gate/kernel/newest-kept.ts';
import type { LogLevel } from '../../gate/tools/connectors.ts';

/** The names of RFC 5424 and MCP, in ascending order. */
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

/** Kept only by the gate that received the level, for the latest ten thousand clients. Other clients get `info`. */
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
