/** Owns proof sessions: `permitry.proofs`. */
import type { CallOptions } from '../calls/call-options.ts';
import type { HttpClient } from '../calls/http-client.ts';
import type { StartedProof, StartProof, SubmitProof, SubmittedProof } from '../wire/proof.ts';

const PATH = '/api/verify/proof';

/** Signatures of an approver's own device, so that an approval carries more than a credential. */
export class Proofs {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Opens a proof session for one decision of this person. Sign its challenge, then submit the signature.
   *
   * @throws PermitryError `forbidden`, `intent_not_found`, `intent_already_resolved`, `intent_expired`
   * @example const { proof_session } = await permitry.proofs.start({ intent_id, decision: 'approve', method: 'device' });
   */
  start(input: StartProof, options?: CallOptions): Promise<StartedProof> {
    return this.#http.send({ method: 'POST', path: PATH, body: { ...input } }, options);
  }

  /**
   * Submits the signature. Name the completed session in `intents.approve(id, { proof_session_id })`.
   *
   * @throws PermitryError `invalid_proof`, `not_found`
   * @example await permitry.proofs.submit({ proof_session_id: proof_session.id, signals: { jws } });
   */
  submit(input: SubmitProof, options?: CallOptions): Promise<SubmittedProof> {
    return this.#http.send({ method: 'POST', path: PATH, body: { ...input } }, options);
  }
}
