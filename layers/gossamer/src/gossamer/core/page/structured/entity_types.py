"""Which types of schema.org are read, and which of them are kinds of others."""

from __future__ import annotations

from typing import Final

PRODUCT, ARTICLE, EVENT, RECIPE, JOB = "product", "article", "event", "recipe", "job"
ORGANIZATION, FAQ, BREADCRUMB, LIST = "organization", "faq", "breadcrumb", "list"

# The first is what a page is about, if it has several.
ORDER: Final = (PRODUCT, RECIPE, JOB, EVENT, ARTICLE, FAQ, ORGANIZATION)

KIND_OF: Final[dict[str, str]] = {
    **dict.fromkeys(
        str.split(
            "Product ProductGroup ProductModel IndividualProduct SomeProducts Vehicle Car"
            " Motorcycle Book SoftwareApplication MobileApplication WebApplication VideoGame Course"
            " Apartment House SingleFamilyResidence RealEstateListing"
        ),
        PRODUCT,
    ),
    **dict.fromkeys(
        str.split(
            "Article NewsArticle BlogPosting Report ScholarlyArticle TechArticle SocialMediaPosting"
            " LiveBlogPosting AnalysisNewsArticle OpinionNewsArticle ReportageNewsArticle"
            " ReviewNewsArticle AdvertiserContentArticle SatiricalArticle DiscussionForumPosting"
        ),
        ARTICLE,
    ),
    **dict.fromkeys(
        str.split(
            "Event BusinessEvent ChildrensEvent ComedyEvent CourseInstance DanceEvent"
            " EducationEvent ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent"
            " ScreeningEvent SocialEvent SportsEvent TheaterEvent VisualArtsEvent"
        ),
        EVENT,
    ),
    "Recipe": RECIPE,
    "JobPosting": JOB,
    **dict.fromkeys(
        str.split(
            "Organization Corporation LocalBusiness Restaurant Hotel Store NGO"
            " EducationalOrganization CollegeOrUniversity School GovernmentOrganization"
            " MedicalOrganization Hospital ProfessionalService FoodEstablishment LodgingBusiness"
            " SportsClub MusicGroup"
        ),
        ORGANIZATION,
    ),
    "FAQPage": FAQ,
    "BreadcrumbList": BREADCRUMB,
    **dict.fromkeys(("ItemList", "OfferCatalog", "CollectionPage", "SearchResultsPage"), LIST),
}
