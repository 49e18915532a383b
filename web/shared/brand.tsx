/** The name and logo in the header of every page. */
export function Brand() {
  return (
    <>
      <svg viewBox="0 0 16 20" aria-hidden="true" focusable="false">
        <path d="M1.5 1.5h8l5 5v12h-13z M9.5 1.5v5h5" />
      </svg>
      Platen
    </>
  );
}
