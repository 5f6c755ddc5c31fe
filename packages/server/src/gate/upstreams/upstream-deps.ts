import type { Reach } from '../kernel/reach.ts';
import type { SecretBox } from '../kernel/secret-box.ts';
import type { ChangeDeps } from '../projects/change-deps.ts';
import type { Tools } from '../tools/tools.ts';
import type { UpstreamDoor } from './look.ts';
import type { UpstreamReader, UpstreamWriter } from './upstream.ts';

/** What operations on upstream servers take. */
export interface UpstreamDeps extends ChangeDeps<UpstreamReader, UpstreamWriter> {
  reach: Reach;
  secretBox: SecretBox;
  tools: Tools;
  upstreamDoor: UpstreamDoor;
}
