/** Allow rules that rest on what the requester freely chooses: refused when the policy is saved. Used by the attack tool and by the adversarial tests. */

/** By their condition, and where the refusal points to. */
export const MILD_CONDITIONS: readonly (readonly [string, string, string])[] = [
  ['metadata', "metadata.ticket == 'OPS-1'", '/rules/0/when'],
  ['metadata by index', "metadata['ticket'] == 'OPS-1'", '/rules/0/when'],
  ['metadata behind dyn', "dyn(metadata).ticket == 'OPS-1'", '/rules/0/when'],
  ['metadata asked for by has', 'has(metadata.ticket)', '/rules/0/when'],
  ['metadata by its size', 'size(metadata) > 0', '/rules/0/when'],
  ['metadata walked', "metadata.exists(name, name == 'ticket')", '/rules/0/when'],
  ['metadata inside a list', "['OPS-1'].exists(x, x == metadata.ticket)", '/rules/0/when'],
  ['metadata in the branch not taken', "true ? params.n == 1 : metadata.ticket == 'x'", '/rules/0/when'],
  ['metadata denied', "!(metadata.ticket == 'x')", '/rules/0/when'],
  ['source', "source == 'release-bot'", '/rules/0/when'],
  ['source in a map', "{'s': source}.s == 'release-bot'", '/rules/0/when'],
  ['source as a pattern', "source.matches('^release')", '/rules/0/when'],
  ['source_type', "source_type == 'human'", '/rules/0/when'],
  ['source_type compared with an absent one', "source_type != 'ai_agent' || params.n == 1", '/rules/0/when'],
];

/** By what they match. */
export const MILD_MATCHES: readonly (readonly [string, string | readonly string[]])[] = [
  ['source', 'release-bot'],
  ['source', ['release-bot', 'other']],
  ['source', '*'],
  ['source_type', 'human'],
  ['source_type', ['human', 'ci']],
  ['source_type', 'human | ci'],
];
