/** Texts of the tabs with the canonical JSON and the hashes. */

export const canonical = {
  about: (size: string) =>
    `Canonical JSON (RFC 8785), ${size}. The hash of the parameters is the SHA-256 of this text.`,
  region: 'Canonical JSON of the parameters',
  what: 'the canonical JSON',
  copy: 'Copy the canonical JSON',
} as const;

export const hashes = {
  parameters: 'Parameters',
  parametersWhat: 'the hash of the parameters',
  request: 'Whole request',
  requestWhat: 'the intent hash',
  covers:
    'Covers project, request, action, parameters, requester, self-reported name and type, risk, explanation and expiry. The permit and the receipt contain it.',
  computed: 'Computed by your browser',
  same: 'Both hashes match.',
  erased: 'Not possible: the texts were erased.',
  different: 'The hashes do not match.',
} as const;
