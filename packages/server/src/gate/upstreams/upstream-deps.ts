import type { Reach } from '../kernel/reach.ts';
import type { SecretEncryption } from '../kernel/secret-encryption.ts';
import type { ChangeDeps } from '../projects/change-deps.ts';
import type { Tools } from '../tools/tools.ts';
import type { UpstreamReader, UpstreamWriter } from './upstream.ts';
import type { UpstreamClient } from './upstream-client.ts';

/** Dependencies of the operations on upstream servers. */
export interface UpstreamDeps extends ChangeDeps<UpstreamReader, UpstreamWriter> {
  reach: Reach;
  secretEncryption: SecretEncryption;
  tools: Tools;
  upstreamClient: UpstreamClient;
}
