import type { Config } from '../../config.ts';
import type { ErrorTable } from '../errors/error-table.ts';
import type { RouteTools } from '../routes/surface.ts';

/** The tools that console routes receive. */
export interface ConsoleTools extends RouteTools {
  config: Config;
  /** Names and statuses of refusals, for refusals inside an answer. */
  errors: ErrorTable;
}
