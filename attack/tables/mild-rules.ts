/**
 * Allow rules that depend on what the requester freely chooses. The gate refuses them when a policy is saved. For the
 * attack tool and the adversarial tests.
 */

/** By their condition. */
export const MILD_CONDITIONS: readonly (readonly [string, string])[] = [
  ['metadata', "metadata.ticket == 'OPS-1'"],
  ['metadata by index', "metadata['ticket'] == 'OPS-1'"],
  ['metadata behind dyn', "dyn(metadata).ticket == 'OPS-1'"],
  ['metadata asked for by has', 'has(metadata.ticket)'],
  ['metadata by its size', 'size(metadata) > 0'],
  ['metadata walked', "metadata.exists(name, name == 'ticket')"],
  ['metadata inside a list', "['OPS-1'].exists(x, x == metadata.ticket)"],
  ['metadata in the branch not taken', "true ? params.n == 1 : metadata.ticket == 'x'"],
  ['metadata denied', "!(metadata.ticket == 'x')"],
  ['source', "source == 'release-bot'"],
  ['source in a map', "{'s': source}.s == 'release-bot'"],
  ['source as a pattern', "source.matches('^release')"],
  ['source_type', "source_type == 'human'"],
  ['source_type compared with an absent one', "source_type != 'ai_agent' || params.n == 1"],
];

/** By their match. */
export const MILD_MATCHES: readonly (readonly [string, string | readonly string[]])[] = [
  ['source', 'release-bot'],
  ['source', ['release-bot', 'other']],
  ['source', '*'],
  ['source_type', 'human'],
  ['source_type', ['human', 'ci']],
  ['source_type', 'human | ci'],
];
