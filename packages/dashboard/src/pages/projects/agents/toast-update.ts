import { toast } from '../../../ui/announce.tsx';
import type { UpdatedAgent } from '../project-frame/wire.ts';
import * as words from './agents.words.ts';

/** Says that the agent changed, or that another person must approve the change. */
export function toastUpdate({ proposal }: UpdatedAgent): void {
  toast(proposal ? words.sentForApproval : words.saved);
}
