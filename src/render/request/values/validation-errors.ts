/** Collects the errors of a request field by field. */
import { type FieldError, invalidRequest } from '../../../errors.ts';

export class ValidationErrors {
  readonly #errors: FieldError[] = [];

  add(path: string, message: string): void {
    this.#errors.push({ path, message });
  }

  addAll(errors: FieldError[]): void {
    this.#errors.push(...errors);
  }

  get found(): readonly FieldError[] {
    return this.#errors;
  }

  /** Throws `invalid_request`. */
  throwIfAny(): void {
    if (this.#errors.length) throw invalidRequest(this.#errors);
  }
}
