/**
 * Operator functions for the command line. This entry point is separate from `index.ts`, because it loads the routes.
 */
export { openToUpstreams, openToWebhooks } from './administration/open-outside.ts';
export { addUpstream } from './gate/upstreams/add-upstream.ts';
export { riskTierOf } from './gate/upstreams/offered-tool.ts';
export { getUpstream } from './gate/upstreams/read-upstreams.ts';
export type { UpstreamSettings } from './gate/upstreams/upstream.ts';
export { openSettings } from './gate/upstreams/upstream-settings.ts';
export { type OperatorDoor, type OperatorRequest, openOperatorDoor } from './http/operator-door.ts';
