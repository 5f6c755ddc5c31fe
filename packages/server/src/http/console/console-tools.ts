import type { Config } from '../../config.ts';
import type { ErrorTable } from '../errors/error-table.ts';
import type { RouteTools } from '../routes/surface.ts';

/** What console routes are handed. */
export interface ConsoleTools extends RouteTools {
  config: Config;
  /** Names and statuses of refusals, for those that stand inside an answer. */
  errors: ErrorTable;
}
