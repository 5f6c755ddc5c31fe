/** Asks people to prove that they are present when a change needs a fresh proof. */
import { isRefusal } from './api-error.ts';

type Asker = (methods: readonly string[]) => Promise<boolean>;

let ask: Asker | null = null;

export const confirmPresence = {
  /** The dialog sets this when it mounts, and sets it to null when it unmounts. */
  set asker(asker: Asker | null) {
    ask = asker;
  },

  /**
   * Runs `change`. If the gate answers `proof_required` with methods of presence, asks the person for a proof and runs
   * `change` once more.
   *
   * @throws ApiError the gate's refusal, or `proof_required` when the person gave up.
   */
  async guard<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } catch (error) {
      if (!isRefusal(error, 'proof_required') || ask === null) throw error;
      const { methods, proof_tier: tier } = error.details;
      // The page of the request asks for a stronger proof, as part of the decision itself.
      if (tier !== 'session' || !Array.isArray(methods)) throw error;
      if (!(await ask(methods.map(String)))) throw error;
      return await change();
    }
  },
};
