import { toast } from '../../../ui/announce.tsx';
import type { UpdatedAgent } from '../project-frame/wire.ts';

/** Says that the agent changed, or that the change waits for another person. */
export function tellOfUpdate({ proposal }: UpdatedAgent): void {
  if (proposal)
    toast('Sent for approval. Another admin or owner must approve this change on the policy page.');
  else toast('Saved.');
}
