import type { Intent } from '@permitry/sdk';
import { paint, sayVisibly } from '../printing/say.ts';

/** The result of a request, in one line. */
export function tellDecision({
  id,
  action,
  status,
  resolved_by: by,
  reason,
  approval_url: url,
}: Intent): string {
  const head = `${sayVisibly(action)} (${sayVisibly(id)}) is ${paintStatus(status)}`;
  if (status === 'pending') return `${head}: ${sayVisibly(url)}`;
  const who = by === null ? '' : ` by ${sayVisibly(by)}`;
  return `${head}${who}${reason === null ? '' : `: ${sayVisibly(reason)}`}`;
}

export function paintStatus(status: string): string {
  const shown = sayVisibly(status);
  if (status === 'approved') return paint('green', shown);
  return status === 'pending' ? paint('yellow', shown) : paint('red', shown);
}
