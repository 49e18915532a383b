import java.util.stream.Stream;
import org.mustangproject.validator.ZUGFeRDValidator;

/** Validates files with Mustang. Prints a line for each file that says whether it is completely valid, followed by the report of Mustang. */
class Mustang {
  public static void main(String[] files) {
    Stream.of(files).forEach(file -> {
      ZUGFeRDValidator validator = new ZUGFeRDValidator();
      String report = validator.validate(file);
      System.out.println("<judged file=\"" + file + "\" valid=\"" + validator.wasCompletelyValid() + "\">\n" + report);
    });
  }
}
