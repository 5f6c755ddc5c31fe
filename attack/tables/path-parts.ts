/** What stands for the parameters of paths. Used by the attack tool and by the adversarial tests. */
export interface PathParts {
  project: string;
  intent: string;
  agent: string;
  key: string;
  user: string;
  group: string;
  proposal: string;
  webhook: string;
  delivery: string;
  upstream: string;
}
